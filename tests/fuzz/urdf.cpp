#include "corio/io/urdf.hpp"

#include "corio/joints/free_flyer.hpp"
#include "fuzz/entries.hpp"

void corio::fuzz::urdf(Bytes bytes) {
  const std::string text = text_of(bytes);
  for (const auto mimic : {corio::urdf::Mimic::couple, corio::urdf::Mimic::independent}) try {
      corio::urdf::Options options{.mimic = mimic};
      if (mimic == corio::urdf::Mimic::independent)
        options.root = joint::FreeFlyer{}, options.inertias = Inertias::nearest, options.armature_of_massless = 0.1;
      exercise(corio::urdf::parse(text, options));
    } catch (const Error&) {
    }
}
