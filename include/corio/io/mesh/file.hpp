#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "corio/core/detail/file.hpp"
#include "corio/core/detail/number.hpp"
#include "corio/spatial/pose.hpp"

/// Readers of the surfaces in STL, OBJ and MSH files. Further files that such a file names, for instance materials, are
/// not opened.
namespace corio { inline namespace CORIO_ABI { namespace mesh { namespace detail {

using corio::detail::excerpt;
using corio::detail::join;
using corio::detail::parse_number;

/// A surface of polygons.
struct Surface {
  std::vector<Vector3<double>> vertices{};
  std::vector<int> corners{};      // the corners of all polygons, as indices of vertices
  std::vector<std::size_t> end{};  // the end of each polygon in `corners`; the first polygon begins at zero

  std::span<const int> polygon(std::size_t i) const {
    const std::size_t begin = i > 0 ? end[i - 1] : 0;
    return std::span(corners).subspan(begin, end[i] - begin);
  }
  void add(std::span<const int> polygon) {
    corners.insert(corners.end(), polygon.begin(), polygon.end());
    end.push_back(corners.size());
  }
  /// Adds a triangle and its vertices.
  void add(const std::array<Vector3<double>, 3>& triangle) {
    const int first = static_cast<int>(vertices.size());
    vertices.insert(vertices.end(), triangle.begin(), triangle.end());
    add(std::array{first, first + 1, first + 2});
  }
};

/// Reads a text line by line, as words.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  std::vector<std::string_view> words{};  // the words of the line, at least one

  /// Goes to the next line that has words (comments begin with #); false at the end. Lines end with \n, \r\n or \r.
  bool next() {
    words.clear();
    while (words.empty() && !text_.empty()) append();
    return !words.empty();
  }
  /// Appends the words of continuation lines, after a backslash at the end of this line.
  void join_continued() {
    while (!words.empty() && words.back().ends_with('\\')) {
      words.back().remove_suffix(1);
      if (words.back().empty()) words.pop_back();
      append();
    }
  }
  [[noreturn]] void fail(std::initializer_list<std::string_view> what, int line = 0) const {
    throw ModelError(join({"line ", std::to_string(line > 0 ? line : line_), ": ", join(what)}));
  }
  int line() const { return line_; }

  /// Three coordinates from word i on.
  Vector3<double> point(std::size_t i) const {
    Vector3<double> p = zero3<double>();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = i + k < words.size() ? parse_number(words[i + k]) : std::nullopt;
      if (!x)
        fail({i + k < words.size() ? excerpt(words[i + k]) : "nothing", " as the coordinate ",
              std::string_view("xyz").substr(k, 1), ", expected a finite decimal number"});
      p[static_cast<int>(k)] = *x;
    }
    return p;
  }

 private:
  void append() {
    ++line_;
    const std::size_t end = text_.find_first_of("\r\n");
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == text_.npos ? text_.size() : end + (text_.substr(end).starts_with("\r\n") ? 2 : 1));
    line = line.substr(0, line.find('#'));
    constexpr std::string_view space = " \t\v\f";
    for (std::size_t at; (at = line.find_first_not_of(space)) != line.npos;) {
      line.remove_prefix(at);
      words.push_back(line.substr(0, line.find_first_of(space)));
      line.remove_prefix(words.back().size());
    }
  }

  std::string_view text_;
  int line_ = 0;
};

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}
template <class T>
std::array<T, 3> triple_at(std::string_view bytes, std::size_t at) {
  return {value_at<T>(bytes, at), value_at<T>(bytes, at + 4), value_at<T>(bytes, at + 8)};
}
inline Vector3<double> point_at(std::string_view bytes, std::size_t at) {
  const auto x = triple_at<float>(bytes, at);
  return Vector3<float>(x[0], x[1], x[2]).cast<double>();
}

/// A binary MSH file of MuJoCo: four int32, the numbers of points, normals, texture coordinates and faces; the points,
/// three floats each; normals and texture coordinates, which are skipped; the faces, three int32 each.
inline Surface read_msh(std::string_view bytes) {
  std::array<std::int32_t, 4> count{};
  if (bytes.size() >= sizeof count) std::memcpy(count.data(), bytes.data(), sizeof count);
  const auto [points, normals, texture, faces] = count;
  std::uint64_t size = sizeof count;
  for (const auto& [n, width] : {std::pair(points, 12), {normals, 12}, {texture, 8}, {faces, 12}})
    size += static_cast<std::uint64_t>((std::max)(n, 0)) * static_cast<std::uint64_t>(width);
  if (*std::min_element(count.begin(), count.end()) < 0 || size != bytes.size())
    throw ModelError(join({"it is not an MSH file: it has ", std::to_string(bytes.size()),
                           " bytes, its header announces ", std::to_string(size)}));
  Surface all;
  for (std::size_t at = sizeof count; std::ssize(all.vertices) < points; at += 12)
    all.vertices.push_back(point_at(bytes, at));
  for (std::size_t at = bytes.size() - 12 * static_cast<std::size_t>(faces); at < bytes.size(); at += 12)
    all.add(triple_at<std::int32_t>(bytes, at));
  return all;
}

/// STL as text: solid .., facet normal x y z, outer loop, three times vertex x y z, endloop, endfacet, .., endsolid.
/// Several solids are joined. Normals are skipped; the sense of a face follows from the order of its corners.
inline Surface read_ascii_stl(std::string_view text) {
  Surface all;
  std::array<Vector3<double>, 3> corners;
  std::size_t count = 0;  // number of corners since the last facet
  bool open = false;      // whether a solid is open
  for (Lines lines(text); lines.next() || open;) {
    const auto& words = lines.words;
    if (words.empty()) lines.fail({"the text ends before endsolid; is the file complete?"});
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string word(words[i]);
      std::transform(word.begin(), word.end(), word.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      if (word == "solid" || word == "endsolid") {
        open = word == "solid";
        break;  // the rest of the line is a name
      }
      if (word == "facet") {
        i += 4;  // normal x y z
        count = 0;
      } else if (word == "vertex") {
        if (count < 3) corners[count] = lines.point(i + 1);
        i += 3;
        ++count;
      } else if (word == "endfacet") {
        if (count != 3) lines.fail({"a facet with ", std::to_string(count), " corners, expected three"});
        all.add(corners);
        count = 0;
      } else if (word != "outer" && word != "loop" && word != "endloop") {
        lines.fail({excerpt(words[i]), " is not a keyword of STL"});
      }
    }
  }
  return all;
}

/// Reads STL, text or binary. A binary file has a header of 80 bytes, the number of faces as uint32, and for each face
/// 12 floats, a normal and three corners, and two bytes.
inline Surface read_stl(std::string_view bytes) {
  constexpr std::size_t head = 84, width = 50;
  const std::size_t faces = bytes.size() < head ? 0 : value_at<std::uint32_t>(bytes, head - 4);
  if (bytes.size() >= head && bytes.size() == head + width * faces) {
    Surface all;
    for (std::size_t at = head + 12; at < bytes.size(); at += width)
      all.add(std::array{point_at(bytes, at), point_at(bytes, at + 12), point_at(bytes, at + 24)});
    return all;
  }
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  // Binary files may begin with "solid", too, but have zero bytes.
  const bool text = first != bytes.npos &&
                    (bytes.substr(first).starts_with("solid") || bytes.substr(first).starts_with("SOLID")) &&
                    bytes.find('\0') == bytes.npos;
  if (!text)
    throw ModelError(join({"it is neither text that begins with 'solid' nor binary: for ", std::to_string(faces),
                           " faces its length would be ", std::to_string(head + width * faces), " bytes and is ",
                           std::to_string(bytes.size())}));
  return read_ascii_stl(corio::detail::plain_text(bytes).text);
}

/// OBJ: v x y z, and f with three or more corners, each the number of a vertex, counted from one or, if negative, back
/// from the last vertex, perhaps followed by the numbers of a texture coordinate and a normal, 3/1/2. Weights and
/// colours of vertices are skipped. As in MuJoCo, only the first object or group with faces is read; without faces, all
/// vertices.
/// @param remark  set if the file has parts that are not read
inline Surface read_obj(std::string_view bytes, std::string& remark) {
  constexpr std::string_view without_meaning[] = {"vt",       "vn",       "vp",     "p",          "l",        "s",
                                                  "mg",       "usemtl",   "mtllib", "usemap",     "maplib",   "bevel",
                                                  "c_interp", "d_interp", "lod",    "shadow_obj", "trace_obj"};
  std::vector<Vector3<double>> vertices;
  Surface all;
  std::vector<int> corners;
  int objects = 0, greatest = 0, line_of_greatest = 0;
  bool begins = true;  // whether the next face begins an object or group
  Lines lines(corio::detail::plain_text(bytes).text);
  // The index of the vertex of a corner, counted from zero.
  const auto vertex = [&](std::string_view word) {
    int number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string_view rest(stop, static_cast<std::size_t>(word.data() + word.size() - stop));
    const int count = static_cast<int>(vertices.size()), k = number > 0 ? number - 1 : count + number;
    if (error != std::errc() || number == 0 || k < 0 || (!rest.empty() && rest[0] != '/') ||
        rest.find_first_not_of("/-0123456789") != rest.npos)
      lines.fail({excerpt(word), " as a corner of a face, expected the number of a vertex, from 1 on or from -1 to -",
                  std::to_string(count), ", perhaps with further numbers after it as in 3/1/2"});
    if (k > greatest) greatest = k, line_of_greatest = lines.line();
    return k;
  };
  // Read each line by its first word.
  while (lines.next()) {
    const std::string word(lines.words[0]);
    if (word == "o" || word == "g") {
      begins = true;
    } else if (word == "v") {
      lines.join_continued();
      vertices.push_back(lines.point(1));
    } else if (word == "f") {
      lines.join_continued();
      corners.clear();
      for (std::size_t i = 1; i < lines.words.size(); ++i) corners.push_back(vertex(lines.words[i]));
      if (corners.size() < 3) continue;  // it has no area
      if (begins) ++objects;
      begins = false;
      if (objects == 1) all.add(corners);
    } else if (std::find(std::begin(without_meaning), std::end(without_meaning), word) == std::end(without_meaning)) {
      if (remark.empty()) remark = join({"line ", std::to_string(lines.line()), ": ", excerpt(word), " is not read"});
    }
  }
  // Checks that need the whole file.
  if (greatest >= std::ssize(vertices))
    lines.fail({"a face has the vertex ", std::to_string(greatest + 1), ", of ", std::to_string(vertices.size())},
               line_of_greatest);
  if (objects > 1) remark = join({std::to_string(objects), " objects or groups have faces, only the first is read"});
  if (all.corners.empty()) {  // a file of points
    all.vertices = std::move(vertices);
    return all;
  }
  // Keeps only the vertices of these faces.
  std::vector<int> number(vertices.size(), -1);
  for (int& k : all.corners) {
    int& taken = number[static_cast<std::size_t>(k)];
    if (taken < 0) {
      taken = static_cast<int>(all.vertices.size());
      all.vertices.push_back(vertices[static_cast<std::size_t>(k)]);
    }
    k = taken;
  }
  return all;
}

}}}}  // namespace corio::mesh::detail
