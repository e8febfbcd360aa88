/* Adds the nanoseconds that stand in the file $SERVER_CLOCK to the time of day that this process sees. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t zero;
static const volatile int64_t *offset = &zero;

__attribute__((constructor)) static void open_offset(void) {
	const char *path = getenv("SERVER_CLOCK");
	int file = path ? open(path, O_RDONLY) : -1;
	void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
	if (mapped == MAP_FAILED) {
		abort();
	}
	offset = mapped;
	close(file);
}

int clock_gettime(clockid_t id, struct timespec *now) {
	int result = syscall(SYS_clock_gettime, id, now);
	if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
		int64_t nanos = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + *offset;
		now->tv_sec = nanos / 1000000000;
		now->tv_nsec = nanos % 1000000000;
	}
	return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
	struct timespec precise;
	(void) zone;
	clock_gettime(CLOCK_REALTIME, &precise);
	now->tv_sec = precise.tv_sec;
	now->tv_usec = precise.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *now) {
	struct timespec precise;
	clock_gettime(CLOCK_REALTIME, &precise);
	if (now) {
		*now = precise.tv_sec;
	}
	return precise.tv_sec;
}
