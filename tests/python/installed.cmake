# Script mode: pip installs the package from its folder into a new environment, where it is imported and called.
cmake_minimum_required(VERSION 3.20)
file(REMOVE_RECURSE ${FOLDER})
function(call)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " text)
    message(FATAL_ERROR "failed: ${text}")
  endif()
endfunction()
call(${PYTHON} -m venv --system-site-packages ${FOLDER})
call(${FOLDER}/bin/python -m pip install --no-index --no-deps --no-build-isolation
  --config-settings "CORIO_PYTHON_FLAGS=-O0\;-DCORIO_PYTHON_NO_PACKS" ${ROOT}/include/corio/python)
call(${FOLDER}/bin/python -P -c
  "import corio\nm = corio.zoo.serial_chain(3)\nprint(corio.__version__, corio.rnea(m, m.neutral(), [0] * 3, [0] * 3))")
