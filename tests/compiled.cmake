# Script mode: the object of bench/compile/all_in.cpp, which calls algorithms of double, must leave all of them to
# corio::compiled, so none may be compiled in it. One that is missing in include/corio/compiled/list.hpp is named.
list(FILTER OBJECTS INCLUDE REGEX "/all_in[.]")
execute_process(COMMAND ${NM} -C ${OBJECTS} OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "${NM} failed (${result})")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")

# Names hold the flags of their file (corio/core/abi.hpp).
set(corio "corio::abi_[0-9a-z_]+::")
set(left ${symbols})
list(FILTER left INCLUDE REGEX " U .*${corio}algorithm::Rnea<double>::run[(]")
if(NOT left)
  message(FATAL_ERROR "all_in does not leave rnea to another object: is CORIO_COMPILED without effect?")
endif()

set(compiled ${symbols})
list(FILTER compiled INCLUDE REGEX " [TtW] .*${corio}(algorithm::[a-z_]+<|detail::Memory::make<)")
if(compiled)
  list(JOIN compiled "\n" compiled)
  message(FATAL_ERROR "compiled in all_in, and so in every source that calls them:\n${compiled}")
endif()
