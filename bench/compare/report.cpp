#include "report.hpp"

namespace compare {

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return 0.5 * (x[(x.size() - 1) / 2] + x[x.size() / 2]);
}

Ratio ratio(const Times& own, const Times& other) {
  std::vector<double> all;
  for (std::size_t i = 0; i < own.microseconds.size(); ++i) all.push_back(other.microseconds[i] / own.microseconds[i]);
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return {median(all), (*high - *low) / 2};
}

std::size_t fastest_peer(const std::vector<Times>& row) {
  std::size_t best = 0;
  for (std::size_t l = 1; l < row.size(); ++l)
    if (row[l].known() && (best == 0 || median(row[l].microseconds) < median(row[best].microseconds))) best = l;
  return best;
}

namespace {

std::string first_word(const std::string& name) { return name.substr(0, name.find(' ')); }
bool takes_part(const Library& library) { return library.note.empty(); }
bool any_peer(const std::vector<Library>& libraries) {
  return std::any_of(libraries.begin() + 1, libraries.end(), takes_part);
}

/// The heading of the column with which the others are compared.
int own_width(const std::vector<Library>& libraries) {
  return std::max(8, static_cast<int>(first_word(libraries[0].name).size()));
}

/// Returns whether any library has the function for this mechanism.
bool has(const Table& table, std::size_t library) {
  return std::any_of(table.times.begin(), table.times.end(), [&](const auto& row) { return row[library].known(); });
}

}  // namespace

void print_table(paper::Report& report, const std::vector<Library>& libraries, const Table& table) {
  report.print("\n%s, %d degrees of freedom\n", table.mechanism.title.c_str(), table.mechanism.nv());
  const std::string own = first_word(libraries[0].name);
  report.print("  %-24s %*s", "time per state [us]", own_width(libraries), own.c_str());
  for (std::size_t l = 1; l < libraries.size(); ++l)
    if (has(table, l)) report.print(" %16s", first_word(libraries[l].name).c_str());
  if (any_peer(libraries)) report.print("   %-10s %6s %6s", "fastest", "ratio", "+-");
  report.print("\n");
  for (int a = 0; a < algorithms; ++a) {
    const auto& row = table.times[static_cast<std::size_t>(a)];
    if (std::none_of(row.begin(), row.end(), [](const Times& t) { return t.known(); })) continue;
    report.print("  %-24s ", rows[a].title);
    const int width = own_width(libraries);
    row[0].known() ? report.print("%*.3f", width, median(row[0].microseconds)) : report.print("%*s", width, "-");
    for (std::size_t l = 1; l < libraries.size(); ++l) {
      if (!has(table, l)) continue;
      if (row[l].known())
        report.print(" %8.3f (%5.2f)", median(row[l].microseconds), ratio(row[0], row[l]).value);
      else
        report.print(" %16s", "-");
    }
    if (const std::size_t best = fastest_peer(row); best > 0) {
      const auto [value, spread] = ratio(row[0], row[best]);
      report.print("   %-10s %6.2f %6.2f", first_word(libraries[best].name).c_str(), value, spread);
    }
    report.print("\n");
  }
  for (const std::string& note : table.notes) report.print("  %s\n", note.c_str());
}

void print_summary(paper::Report& report, const std::vector<Library>& libraries, const std::vector<Table>& tables) {
  if (!any_peer(libraries)) return;
  report.print("\nHow many times the time of %s the fastest other one takes:", first_word(libraries[0].name).c_str());
  const char* between = "";
  for (std::size_t l = 1; l < libraries.size(); ++l)
    if (takes_part(libraries[l])) {
      report.print("%s %c %s", between, libraries[l].name[0], libraries[l].name.c_str());
      between = ",";
    }
  report.print("\n\n");
  constexpr int first = 50, width = 12;
  const auto line = [&](const std::string& title, auto&& cell) {
    report.print("| %-*s |", first, title.c_str());
    for (const Table& table : tables) report.print(" %-*s |", width, std::string(cell(table)).c_str());
    report.print("\n");
  };
  const auto dashes = [](int n) { return std::string(static_cast<std::size_t>(n), '-'); };
  line("", [](const Table& t) { return t.mechanism.key; });
  line(dashes(first), [&](const Table&) { return dashes(width); });
  line("degrees of freedom", [](const Table& t) { return std::to_string(t.mechanism.nv()); });

  struct Entry {
    double value;
    std::string where;
    bool operator<(const Entry& other) const { return value < other.value; }
  };
  std::vector<Entry> all;
  for (int a = 0; a < algorithms; ++a) {
    const auto row = [&](const Table& t) -> const auto& { return t.times[static_cast<std::size_t>(a)]; };
    const auto known = [&](const Table& t) { return row(t)[0].known() && fastest_peer(row(t)) > 0; };
    const auto with_peer = std::find_if(tables.begin(), tables.end(), known);
    if (with_peer == tables.end()) continue;
    const std::string& how = row(*with_peer)[0].how;
    line('`' + how + '`', [&](const Table& t) -> std::string {
      if (!known(t)) return "";
      const std::size_t best = fastest_peer(row(t));
      all.push_back({ratio(row(t)[0], row(t)[best]).value, how + ", " + t.mechanism.key});
      char cell[40];
      std::snprintf(cell, sizeof cell, "%.1f %c", all.back().value, libraries[best].name[0]);
      return cell;
    });
  }
  if (all.empty()) return;
  std::sort(all.begin(), all.end());
  const auto at = [&](double share) { return all[static_cast<std::size_t>(share * double(all.size() - 1))].value; };
  report.print(
      "\nOf these %zu ratios the middle one is %.1f; one in ten is below %.1f, one in ten above %.1f. The least:\n",
      all.size(), at(0.5), at(0.1), at(0.9));
  for (std::size_t i = 0; i < std::min<std::size_t>(5, all.size()); ++i)
    report.print("  %.2f  %s\n", all[i].value, all[i].where.c_str());
}

void print_libraries(paper::Report& report, const std::vector<Library>& libraries) {
  report.print("\nCompared\n");
  for (const Library& library : libraries)
    report.print("  %-16s %s\n", library.name.c_str(),
                 takes_part(library) ? library.build.c_str() : library.note.c_str());
  if (!any_peer(libraries)) return;
  report.print("\nAgreement with %s: largest difference, relative to the largest number of its kind, in all states\n",
               libraries[0].name.c_str());
  for (std::size_t l = 1; l < libraries.size(); ++l)
    if (takes_part(libraries[l]))
      report.print("  %-16s %8.1e  %s\n", libraries[l].name.c_str(), libraries[l].disagreement,
                   libraries[l].worst.c_str());
  report.print("\nIn parentheses: how many times that of %s. Ratio: the same of the fastest other one.\n",
               libraries[0].name.c_str());
}

void print_calls(paper::Report& report, const std::vector<Library>& libraries, const std::vector<Table>& tables) {
  report.print("\nWhat was called, everything from (q, v, ..) on; where there are several ways, the fastest one\n");
  for (int a = 0; a < algorithms; ++a) {
    report.print("  %s\n", rows[a].title);
    for (std::size_t l = 0; l < libraries.size(); ++l) {
      std::vector<std::string> shown;
      for (const Table& table : tables) {
        const Times& t = table.times[static_cast<std::size_t>(a)][l];
        if (t.known() && std::find(shown.begin(), shown.end(), t.how) == shown.end()) shown.push_back(t.how);
      }
      for (const std::string& how : shown)
        report.print("    %-10s %s\n", first_word(libraries[l].name).c_str(), how.c_str());
    }
  }
}

/// Writes <mechanism>.dat, with a line for each algorithm.
static void write_table(const std::string& folder, const std::vector<Library>& libraries, const Table& table) {
  paper::TextFile data(folder + "/" + table.mechanism.key + ".dat");
  data.print("# %s: algorithm, corio [us], then time [us], time / corio's, +- of\n#", table.mechanism.title.c_str());
  for (std::size_t l = 1; l < libraries.size(); ++l) data.print(" %s", libraries[l].name.c_str());
  data.print("\n");
  for (int a = 0; a < algorithms; ++a) {
    const auto& row = table.times[static_cast<std::size_t>(a)];
    data.print("\"%s\" %.4f", rows[a].title, row[0].known() ? median(row[0].microseconds) : NAN);
    for (std::size_t l = 1; l < libraries.size(); ++l) {
      if (row[l].known()) {
        const auto [value, spread] = ratio(row[0], row[l]);
        data.print(" %.4f %.4f %.4f", median(row[l].microseconds), value, spread);
      } else {
        data.print(" NaN NaN NaN");
      }
    }
    data.print("\n");
  }
}

/// Writes index.gp for compare.gp: the mechanisms, and for each of them the libraries and the range of the ratios.
void write_data(const std::string& folder, const std::vector<Library>& libraries, const std::vector<Table>& tables) {
  paper::TextFile index(folder + "/index.gp");
  index.print("peers = \"");
  for (std::size_t l = 1; l < libraries.size(); ++l) index.print("%s ", first_word(libraries[l].name).c_str());
  index.print("\"\nrows = %d\nkeys = \"\"\n", algorithms);
  for (const Table& table : tables) {
    write_table(folder, libraries, table);
    const char* key = table.mechanism.key.c_str();
    double low = 1, high = 1;
    std::string columns;
    for (std::size_t l = 1; l < libraries.size(); ++l) {
      if (!has(table, l)) continue;
      columns += std::to_string(l) + " ";
      for (const auto& row : table.times) {
        if (!row[l].known()) continue;
        const double x = ratio(row[0], row[l]).value;
        low = std::min(low, x);
        high = std::max(high, x);
      }
    }
    if (columns.empty()) continue;
    index.print("keys = keys.\" %s\"\ntitle_%s = \"%s, %d degrees of freedom\"\n", key, key,
                table.mechanism.title.c_str(), table.mechanism.nv());
    index.print("columns_%s = \"%s\"\nlow_%s = %.3f\nhigh_%s = %.3f\n", key, columns.c_str(), key, low, key, high);
  }
}

}  // namespace compare
