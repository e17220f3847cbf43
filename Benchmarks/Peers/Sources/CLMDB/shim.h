#include <lmdb.h>

// Not visible from Swift otherwise: an extension of GNU's C library.
void *memmem(const void *haystack, size_t haystackCount, const void *needle, size_t needleCount);
