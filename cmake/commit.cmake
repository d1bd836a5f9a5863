# Run at every build: writes OUTPUT from INPUT with VERSION and the commit of SOURCE, and leaves it alone when neither
# has changed, so that nothing is compiled again.
find_package(Git QUIET)
set(COMMIT unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(COMMIT ${found})
  endif()
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
