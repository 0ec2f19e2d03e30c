#include "trials/files.hpp"

#include <optional>

#ifdef CORIO_TEST_MUJOCO
#include "io/mjcf_mujoco.hpp"
#include "io/mjcf_random.hpp"
#endif

namespace corio::trials {

#ifdef CORIO_TEST_MUJOCO
void mujoco(Random& random, Figures& figures) {
  const bool oblique = chance(random, 0.3);
  const auto seed = static_cast<unsigned>(random());
  const std::string text = test::random_mjcf(seed, oblique);
  figures.set_robot(text);
  const test::TemporaryFile file(text, "model.xml");
  std::optional<test::Mujoco> peer;
  try {
    peer.emplace(file.path());
  } catch (const std::runtime_error&) {  // mostly for an inertia
    return figures.skip("MuJoCo rejects it");
  }
  const auto found = test::compare(mjcf::read(file.path()), *peer, 3, seed);
  // MuJoCo computes the principal axes of several geoms by an iteration that ends early: the largest error of bias
  // forces in 2.8e5 files was 1.5e-5.
  figures.note("poses", found.poses, 1e-9);
  figures.note(oblique ? "M, axes found" : "M", found.mass, oblique ? 1e-5 : 1e-9);
  figures.note(oblique ? "bias forces, axes found" : "bias forces", found.bias, oblique ? 1e-4 : 1e-9);
  figures.note("passive forces", found.passive, 1e-9);
  figures.note("limits and others", found.constants, 1e-9);
}
#else
void mujoco(Random&, Figures& figures) { figures.skip("there is no MuJoCo"); }
#endif

}  // namespace corio::trials
