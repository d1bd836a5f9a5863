// SIGINT and SIGTERM as a flag that every long loop looks at; a second SIGINT ends the process at once.
#pragma once

namespace cvf::interrupt {

void install();
void end_at_once();  // from now on: a signal ends the process with its exit code, for work that keeps nothing
bool requested();
void request();                 // as if a signal had come; for tests
void request_after(int looks);  // when `requested` was asked so often; for tests
void clear();                   // for tests
void throw_if_requested(const char* what_is_kept);

}  // namespace cvf::interrupt
