#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corio/core/error.hpp"

/// Enough XML to know which elements a file has, where, and in which order: tags and attributes. Text,
/// comments, CDATA, processing instructions and a document type are skipped; namespaces are part of the
/// names.
namespace corio::urdf::detail {

using corio::detail::join;

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  int line;
  int parent;  // index in the list, -1 for the root

  const std::string* attribute(std::string_view key) const {
    for (const auto& [name_, value] : attributes)
      if (name_ == key) return &value;
    return nullptr;
  }
};

class XmlScanner {
 public:
  explicit XmlScanner(std::string_view text) : text_(text) {}

  /// All elements in document order, the root first. ModelError with the line for what is not well-formed:
  /// unbalanced or unterminated tags, unquoted or repeated attributes, anything but one root element.
  std::vector<Element> scan() && {
    if (text_.find('\0') != text_.npos) fail({"holds a zero byte; expected is UTF-8 text"});
    accept("\xEF\xBB\xBF");
    while (!at_end()) {
      if (accept("<!--"))
        skip_past("-->", "comment");
      else if (accept("<?"))
        skip_past("?>", "processing instruction");
      else if (accept("<![CDATA["))
        skip_past("]]>", "CDATA section");
      else if (accept("<!"))
        skip_declaration();
      else if (accept("</"))
        end_tag();
      else if (accept("<"))
        start_tag();
      else
        text();
    }
    if (!open_.empty()) {
      const Element& last = elements_[open_.back()];
      fail({"ends before </", last.name, ">, opened in line ", std::to_string(last.line)});
    }
    if (elements_.empty()) fail({"has no element; a URDF has a root element <robot>"});
    return std::move(elements_);
  }

 private:
  static constexpr std::size_t max_depth = 200;  // XML parsers recurse; no robot nests deeper than a dozen

  [[noreturn]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(join({"line ", std::to_string(line_), ": malformed XML: ", join(what)}));
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void advance(std::size_t n) {
    for (; n > 0 && !at_end(); --n)
      if (text_[at_++] == '\n') ++line_;
  }
  bool accept(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    advance(token.size());
    return true;
  }
  void skip_space() {
    while (is_space(peek())) advance(1);
  }
  void skip_past(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) fail({what, " without its end '", end, "'"});
    advance(found + end.size() - at_);
  }
  /// <!DOCTYPE ...>, possibly with an internal subset in brackets.
  void skip_declaration() {
    for (int brackets = 0; !at_end(); advance(1)) {
      if (peek() == '[') ++brackets;
      if (peek() == ']') --brackets;
      if (peek() == '>' && brackets <= 0) return advance(1);
    }
    fail({"declaration without its end '>'"});
  }
  void text() {
    if (open_.empty() && !is_space(peek())) fail({"text outside of the root element"});
    advance(1);
  }

  std::string name() {
    const std::size_t begin = at_;
    while (!at_end() && !is_space(peek()) && std::string_view("<>/=\"'").find(peek()) == std::string_view::npos)
      advance(1);
    if (at_ == begin) fail({"a name is missing after '<' or in a list of attributes"});
    return std::string(text_.substr(begin, at_ - begin));
  }

  void start_tag() {
    if (open_.empty() && !elements_.empty()) fail({"a second root element"});
    if (open_.size() >= max_depth) fail({"elements nested more than ", std::to_string(max_depth), " deep"});
    Element element{{}, {}, line_, open_.empty() ? -1 : static_cast<int>(open_.back())};
    element.name = name();
    for (;;) {
      const bool spaced = is_space(peek());
      skip_space();
      if (accept("/>")) break;
      if (accept(">")) {
        open_.push_back(elements_.size());
        break;
      }
      if (at_end() || !spaced) fail({"the tag <", element.name, "> is not closed properly"});
      std::string key = name();
      if (element.attribute(key)) fail({"<", element.name, "> has two attributes ", key});
      skip_space();
      if (!accept("=")) fail({"attribute ", key, " of <", element.name, "> has no value"});
      skip_space();
      std::string value = quoted(key);
      element.attributes.emplace_back(std::move(key), std::move(value));
    }
    elements_.push_back(std::move(element));
  }

  void end_tag() {
    const std::string closed = name();
    skip_space();
    if (!accept(">")) fail({"the tag </", closed, "> is not closed properly"});
    if (open_.empty() || elements_[open_.back()].name != closed)
      fail({"</", closed, "> found, expected ",
            open_.empty() ? "nothing" : join({"</", elements_[open_.back()].name, ">"})});
    open_.pop_back();
  }

  std::string quoted(const std::string& key) {
    const char quote = peek();
    if (quote != '"' && quote != '\'') fail({"the value of attribute ", key, " is not in quotes"});
    advance(1);
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"<" : "'<", at_);
    if (end == text_.npos || text_[end] == '<') fail({"the value of attribute ", key, " has no closing quote"});
    const std::string_view raw = text_.substr(at_, end - at_);
    advance(end + 1 - at_);
    return decoded(raw);
  }

  /// With the five entities of XML resolved; anything else after & stays as it is.
  static std::string decoded(std::string_view raw) {
    static constexpr std::pair<std::string_view, char> entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    std::string result;
    while (!raw.empty()) {
      char c = raw.front();
      std::size_t length = 1;
      for (const auto& [entity, meaning] : entities)
        if (raw.starts_with(entity)) c = meaning, length = entity.size();
      result += c;
      raw.remove_prefix(length);
    }
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<Element> elements_;
  std::vector<std::size_t> open_;
};

}  // namespace corio::urdf::detail
