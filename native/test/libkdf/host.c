/* A program that uses the node as a C library, for its tests: it reads commands, one a line,
   and prints the result of each. The config follows the command main on the same line. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void (*mm2_log)(const char *line);

static void tell(const char *line) { fprintf(stderr, "%s\n", line); }

static int8_t (*stop)(void);
static int stopped;

/* Ends the node at the first line. */
static void tell_and_stop(const char *line) {
  tell(line);
  if (!stopped) {
    stopped = 1;
    fprintf(stderr, "stop within log: %d\n", stop());
  }
}

static volatile int held;

/* Takes the first line only when it is let go. */
static void tell_held(const char *line) {
  tell(line);
  while (held) {
    usleep(1000);
  }
}

static int hold(int on) { return (held = on); }

int main(int argc, char **argv) {
  static char line[1 << 20];
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "usage: host LIBRARY: %s\n", argc == 2 ? dlerror() : "one argument");
    return 1;
  }
  int8_t (*start)(const char *, mm2_log) = (int8_t(*)(const char *, mm2_log))dlsym(library, "mm2_main");
  int8_t (*status)(void) = (int8_t(*)(void))dlsym(library, "mm2_main_status");
  stop = (int8_t(*)(void))dlsym(library, "mm2_stop");
  if (!start || !status || !stop) {
    fprintf(stderr, "a function is missing: %s\n", dlerror());
    return 1;
  }
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    stopped = 0;
    int result = !strncmp(line, "main ", 5)         ? start(line + 5, tell)
                 : !strncmp(line, "mainstop ", 9)   ? start(line + 9, tell_and_stop)
                 : !strncmp(line, "mainheld ", 9)   ? (hold(1), start(line + 9, tell_held))
                 : !strcmp(line, "release")         ? hold(0)
                 : !strcmp(line, "null")            ? start(NULL, NULL)
                 : !strcmp(line, "status")          ? status()
                 : !strcmp(line, "stop")            ? stop()
                                                    : 99;
    printf("%d\n", result);
    fflush(stdout);
  }
  return 0;
}
