#include <cstdio>

#include "core/version.hpp"

int main() { std::printf("cvf %s\n", cvf::version); }
