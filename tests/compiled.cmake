# Script mode: the objects of bench/compile call functions that include/corio/corio.hpp promises to leave to
# corio::compiled, so none of these functions may be compiled in the objects. The error names the functions that the
# list lacks.

# Names hold the flags of their file (corio/core/abi.hpp).
set(corio "corio::abi_[0-9a-z_]+::")
# These are compiled once: algorithms, and the parts of Data that make room for them; builder, reader, mechanisms and
# their pass; the parts of control laws beside calls of algorithms.
string(CONCAT promised "(algorithm::[A-Za-z_]+<|detail::Memory::make<|ModelBuilder<|urdf::detail::"
  "|Mechanism<[a-z]+>::(make|find_|Mechanism[(]${corio}Model)|detail::mechanism_pass<|detail::ClosingSteps<"
  "|detail::(TargetsAndLoops|ArticulatedMechanism|Delassus)<|(AdaptiveParameters|detail::SupportedRobot|detail::TruncatedInverse)<[a-z]+>::[a-z]"
  "|TrackingError<[a-z]+>::update|OperationalSpace<[a-z]+>::(add|check)[(]"
  "|Loops<[a-z]+>::(add|close)|body_jacobian(_dot)?<[a-z]+, ${corio}Model>[(]${corio}Model<[a-z]+> const&, ${corio}Model<[a-z]+>::DataType const&"
  "|FilteredRegressors<[a-z]+>::(measure|filter)|CollisionDetector<[a-z]+>::update_thresholds)")

# check UNIT LEFT: `left` is an expression for functions that the unit leaves to another object.
function(check unit left)
  set(object ${OBJECTS})
  list(FILTER object INCLUDE REGEX "/${unit}[.]")
  if(NOT object)
    return()
  endif()
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "${NM} failed (${result})")
  endif()
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")

  set(undefined ${symbols})
  list(FILTER undefined INCLUDE REGEX " U .*${left}")
  if(NOT undefined)
    message(FATAL_ERROR "${unit} does not leave ${left} to another object: is CORIO_COMPILED without effect?")
  endif()

  # A symbol may begin with its return type.
  set(compiled ${symbols})
  list(FILTER compiled INCLUDE REGEX " [TtW] ([^(]* )?${corio}${promised}")
  # Functions that only call an algorithm may be compiled.
  list(FILTER compiled EXCLUDE REGEX "${corio}((Mechanism)?Data<[a-z]+>::(of|run)<|detail::Memory::of<|detail::Projected)")
  if(compiled)
    list(JOIN compiled "\n" compiled)
    message(FATAL_ERROR "compiled in ${unit}, and so in every source that calls them:\n${compiled}")
  endif()
endfunction()
check(all_in "${corio}algorithm::Rnea<double>::run[(]")
check(closed_loops "${corio}algorithm::ForMechanism<${corio}algorithm::Step<double> >::run[(]")
# The mangled name is tried, too: nm does not read the names that clang gives templates with a concept since version 17.
check(control_laws "(${corio}ComputedTorque<double>::update<${corio}Model>[(]|14ComputedTorqueIdE6updateI.*5ModelE)")
check(application "${corio}urdf::load[(]")
