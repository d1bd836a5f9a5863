// Which cvf this is, for everything that is written down.
#pragma once

namespace cvf {

extern const char* const version;
extern const char* const
    commit;  // of the source when it was built; "-dirty" behind it: with changes of its own

}  // namespace cvf
