#include "corio/io/mesh/file.hpp"
#include "fuzz/entries.hpp"

void corio::fuzz::mesh(Bytes bytes) {
  namespace files = corio::mesh::detail;
  const std::string text = text_of(bytes);
  std::string remark;
  for (const auto& read : {+[](const std::string&all, std::string&more) { return files::read_obj(all, more); },
                           +[](const std::string&all, std::string&) { return files::read_stl(all); },
                           +[](const std::string&all, std::string&) { return files::read_msh(all); }})
    try {
      const files::Surface found = read(text, remark);
      for (std::size_t i = 0; i < found.end.size(); ++i)
        require(found.polygon(i).size() >= 3, "a face has less than three corners");
    } catch (const Error&) {
    }
}
