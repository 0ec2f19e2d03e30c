# The target docs runs this script: it makes the site in ${docs}/html and checks its links and its search.
function(needed variable package)
  if(NOT ${variable})
    message(FATAL_ERROR "corio: the site needs ${package} (Debian and Ubuntu: sudo apt install ${package})")
  endif()
endfunction()
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "corio: making the site failed")
  endif()
endfunction()

find_program(doxygen doxygen)
needed(doxygen doxygen)
find_program(python python3)
needed(python python3)
find_path(awesome doxygen-awesome.css PATHS /usr/share/doxygen-awesome-css)
needed(awesome doxygen-awesome-css)
find_file(lunr lunr.js PATHS /usr/share/javascript/lunr /usr/share/nodejs/lunr NO_DEFAULT_PATH)
needed(lunr libjs-lunr)
find_program(node NAMES node nodejs)
# KaTeX sets formulas. Without it they are shown as they are written in the headers.
find_path(katex katex.min.css PATHS /usr/share/javascript/katex)

file(REMOVE_RECURSE ${docs}/html ${docs}/pages ${docs}/headers)
file(MAKE_DIRECTORY ${docs}/pages)
run(${python} ${PROJECT_SOURCE_DIR}/cmake/docs/headers.py ${PROJECT_SOURCE_DIR}/include/corio ${docs}/headers/corio)
run(${python} ${PROJECT_SOURCE_DIR}/cmake/docs/functions.py ${docs}/headers/corio ${docs}/pages ${PROJECT_SOURCE_DIR})
run(${python} ${PROJECT_SOURCE_DIR}/cmake/docs/pages.py ${PROJECT_SOURCE_DIR} ${docs}/pages ${examples})

# The head of a page is Doxygen's own, with the scripts of doxygen-awesome and of the search.
run(${doxygen} -w html ${docs}/header.html ${docs}/footer.html ${docs}/doxygen.css)
file(READ ${docs}/header.html header)
set(scripts "")
foreach(script DarkModeToggle:darkmode-toggle FragmentCopyButton:fragment-copy-button ParagraphLink:paragraph-link)
  string(REPLACE ":" ";" script ${script})
  list(GET script 0 class)
  list(GET script 1 file)
  string(APPEND scripts "<script type=\"text/javascript\" src=\"$relpath^doxygen-awesome-${file}.js\"></script>\n"
                        "<script type=\"text/javascript\">DoxygenAwesome${class}.init()</script>\n")
endforeach()
if(katex)
  string(APPEND scripts "<link href=\"$relpath^katex/katex.min.css\" rel=\"stylesheet\" type=\"text/css\"/>\n")
endif()
foreach(script lunr search-data search)
  string(APPEND scripts "<script type=\"text/javascript\" src=\"$relpath^${script}.js\" defer=\"defer\"></script>\n")
endforeach()
string(REPLACE "</head>" "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n${scripts}</head>"
  header "${header}")
# Doxygen's search finds only names, so the site has its own. An empty MSearchBox stays: doxygen-awesome places its switch
# for dark pages beside the element with this id, and stops with an error without one.
string(REPLACE "</table>\n</div>\n<!--END TITLEAREA-->" "</table>
<div id=\"corio-search\" data-root=\"$relpath^\">
 <div>
  <input type=\"search\" placeholder=\"Search\" aria-label=\"Search\" autocomplete=\"off\" spellcheck=\"false\"/>
  <ol hidden=\"hidden\"></ol>
 </div>
 <span id=\"MSearchBox\"></span>
</div>
</div>
<!--END TITLEAREA-->" header "${header}")
file(WRITE ${docs}/header.html "${header}")

configure_file(${PROJECT_SOURCE_DIR}/cmake/docs/Doxyfile.in ${docs}/Doxyfile @ONLY)
run(${doxygen} ${docs}/Doxyfile)
if(katex)
  file(COPY ${katex}/katex.min.css ${katex}/fonts DESTINATION ${docs}/html/katex FOLLOW_SYMLINK_CHAIN)
endif()
file(COPY ${lunr} ${PROJECT_SOURCE_DIR}/cmake/docs/search.js DESTINATION ${docs}/html FOLLOW_SYMLINK_CHAIN)
run(${python} ${PROJECT_SOURCE_DIR}/cmake/docs/search.py ${docs}/pages ${docs}/html ${PROJECT_SOURCE_DIR})
# Each example has a folder of its own, because some of them have figures of the same name.
file(GLOB figures RELATIVE ${examples} ${examples}/*_output/*.svg ${examples}/*_output/*.html)
foreach(figure IN LISTS figures)
  get_filename_component(folder ${figure} DIRECTORY)
  file(COPY ${examples}/${figure} DESTINATION ${docs}/html/${folder})
endforeach()
if(NOT figures)
  message(STATUS "corio: no figures of examples; the target figures draws them")
endif()

# Members whose name says enough need no comment, nor do folders that are not for users.
file(STRINGS ${docs}/warnings.txt warnings)
list(FILTER warnings EXCLUDE REGEX "Member .* of (class|struct) .* is not documented")
list(FILTER warnings EXCLUDE REGEX "Member .* -> .* is not documented")  # deduction guides
list(FILTER warnings EXCLUDE REGEX "headers/corio/((kernels|simd|solvers)|.*/detail)/.* is not documented")
if(warnings)
  list(JOIN warnings "\n" warnings)
  message(FATAL_ERROR "corio: Doxygen has warnings:\n${warnings}")
endif()
run(${python} ${PROJECT_SOURCE_DIR}/cmake/docs/check_links.py ${docs}/html)
if(node)
  run(${node} ${PROJECT_SOURCE_DIR}/cmake/docs/check_search.js ${docs}/html ${PROJECT_SOURCE_DIR}/cmake/docs/queries.txt)
endif()
message(STATUS "corio: the site is ${docs}/html/index.html")
