#include "crc32c.h"

#include <pthread.h>
#include <string.h>

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? 0x82F63B78u : 0);
        tables[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        for (int table = 1; table < 8; table++) {
            uint32_t previous = tables[table - 1][byte];
            tables[table][byte] = (previous >> 8) ^ tables[0][previous & 0xFF];
        }
}

uint32_t bookdb_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    pthread_once(&tables_once, make_tables);
    const uint8_t *next = bytes;
    crc = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint32_t low = (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        low ^= crc;
        crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^
              tables[4][low >> 24] ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^ tables[0][next[7]];
    }
    for (; count > 0; count--, next++) crc = (crc >> 8) ^ tables[0][(crc ^ *next) & 0xFF];
    return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2,crc32"))) static uint32_t crc32c_sse42(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint64_t state = (uint32_t)~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        state = __builtin_ia32_crc32di(state, word);
    }
    for (; count > 0; count--, next++) state = __builtin_ia32_crc32qi((uint32_t)state, *next);
    return ~(uint32_t)state;
}

uint32_t bookdb_crc32c(uint32_t crc, const void *bytes, size_t count) {
    if (__builtin_cpu_supports("sse4.2")) return crc32c_sse42(crc, bytes, count);
    return bookdb_crc32c_portable(crc, bytes, count);
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

uint32_t bookdb_crc32c(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint32_t state = ~crc;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        state = __builtin_arm_crc32cd(state, word);
    }
    for (; count > 0; count--, next++) state = __builtin_arm_crc32cb(state, *next);
    return ~state;
}

#else

uint32_t bookdb_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return bookdb_crc32c_portable(crc, bytes, count);
}

#endif
