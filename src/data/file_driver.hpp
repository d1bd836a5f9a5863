// How libhdf5 reads and writes files here: as its own driver does, but for one thing. A write that fails
// (disk full, quota, a limit on the size of files) is remembered, and from then on writes are dropped as if
// they had succeeded. libhdf5 cannot close a file whose last bytes do not go to disk: it keeps it open and
// crashes when the process ends. With this driver it closes in good order, and File::close and Dataset::write
// say what happened. Reading uses it too, so that a file which is still open for writing in this process is
// known to be the same.
#pragma once

#include <hdf5.h>

#include <memory>

namespace cvf::data::hdf5 {

/// The errno of the first write that failed; 0 while all is well.
using WriteFault = std::shared_ptr<int>;

/// Makes files that are opened with `access` use this driver. Within a Guard.
void use_file_driver(hid_t access, const WriteFault& fault);

/// Of the file that holds `object`; 0 when another driver writes it. Within a Guard.
int write_fault(hid_t object);

}  // namespace cvf::data::hdf5
