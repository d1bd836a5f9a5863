// How libhdf5 reads and writes files here: as its own driver does, but for one thing. A write that fails
// (disk full, quota, a limit on the size of files) is remembered, and from then on writes are dropped as if
// they had succeeded. libhdf5 cannot close a file whose last bytes do not go to disk: it keeps it open and
// crashes when the process ends. With this driver it closes in good order, and File::close and Dataset::write
// say what happened. Reads that fail are remembered too: to libhdf5 what cannot be read is often merely
// absent (an attribute, a member of a group), and a bad disk must not turn into other data.
#pragma once

#include <hdf5.h>

#include <memory>

namespace cvf::data::hdf5 {

/// The errno of the first read and of the first write that failed; 0 while all is well.
struct Faults {
  int read = 0, write = 0;
};
using SharedFaults = std::shared_ptr<Faults>;

/// Makes files that are opened with `access` use this driver. Within a Guard.
void use_file_driver(hid_t access, const SharedFaults& faults);

/// Of an open file, which may have been opened before with other ones. Within a Guard.
SharedFaults faults_of(hid_t file);

}  // namespace cvf::data::hdf5
