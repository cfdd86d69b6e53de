/*
 * What surrounds a program that is explored: its state as bytes, steps that survive crashes and
 * endless loops, what code was reached, and a server that gives every test a process of its own.
 *
 * program.c, generated beside this file, knows the program; this file knows only words.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* From program.c. */
extern const char provoke_interface[];
extern const int provoke_input_count, provoke_output_count, provoke_own_loop, provoke_boundary;
extern void *const provoke_places[];
void provoke_program_init(void);
void provoke_program_step(const long long *in);
void provoke_program_read(long long *out);
void provoke_program_loop(void);
void provoke_program_clear(void);

void *__real_malloc(size_t size);

/* Why a step did not end; the Rust side knows the same numbers. */
enum { DONE, SIGNALLED = 1000, EXITED = 2000, HANGS = 3000, ENDED = 4000, STARTS = 5000, MEMORY = 6000 };

/* Data of the driver is no state of the program: it is neither saved nor restored. */
#define OWN __attribute__((section("provoke_own")))
extern char __start_provoke_own[], __stop_provoke_own[];

/* ---- State as bytes: the writable segments of the objects that hold the program ---- */

#define MAX_RANGES 64
typedef struct { unsigned char *start, *end; } range_t;
static OWN range_t ranges[MAX_RANGES];
static OWN int range_count = 0;
static OWN unsigned char *initial = NULL;
static OWN long trouble = 0;

/* Sections of the compilers' runtimes; absent ones have no address. */
#define SECTION(name) \
    extern char __start_##name[] __attribute__((weak, visibility("hidden"))); \
    extern char __stop_##name[] __attribute__((weak, visibility("hidden")));
SECTION(__llvm_prf_cnts)
SECTION(__llvm_prf_bits)
SECTION(__llvm_prf_data)
SECTION(__llvm_prf_vnds)
#ifdef PROVOKE_NO_PROFILE
/* Counters are read here; nothing is to be written when the process ends. */
int __llvm_profile_runtime = 0;
#endif

static void add_range(unsigned char *start, unsigned char *end)
{
    if (start < end && range_count < MAX_RANGES) {
        ranges[range_count].start = start;
        ranges[range_count].end = end;
        range_count++;
    }
}

/* Cuts what is not state out of all ranges. */
static void exclude(const void *from, const void *to)
{
    unsigned char *low = (unsigned char *)from, *high = (unsigned char *)to;
    int i, count = range_count;
    if (low == NULL || low >= high) {
        return;
    }
    for (i = 0; i < count; i++) {
        unsigned char *start = ranges[i].start, *end = ranges[i].end;
        if (high <= start || end <= low) {
            continue;
        }
        ranges[i].end = start < low ? low : start;
        add_range(high > start ? high : start, end);
    }
}

static int holds_place(const struct dl_phdr_info *object)
{
    int i, p;
    for (i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD) {
            continue;
        }
        for (p = 0; provoke_places[p] != NULL; p++) {
            uintptr_t place = (uintptr_t)provoke_places[p];
            if (start <= place && place < start + part->p_memsz) {
                return 1;
            }
        }
    }
    return 0;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *pass)
{
    int i;
    (void)size;
    if (!holds_place(object)) {
        return 0;
    }
    for (i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        unsigned char *start = (unsigned char *)(object->dlpi_addr + part->p_vaddr);
        if (*(int *)pass == 0 && part->p_type == PT_LOAD && (part->p_flags & PF_W)) {
            add_range(start, start + part->p_memsz);
        } else if (*(int *)pass == 1 && part->p_type == PT_GNU_RELRO) {
            /* Read-only after loading, in whole pages. */
            uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
            uintptr_t end = ((uintptr_t)start + part->p_memsz) & ~(page - 1);
            exclude((void *)((uintptr_t)start & ~(page - 1)), (void *)end);
        }
    }
    return 0;
}

/* ---- A program with its own loop runs on a stack of its own ---- */

#define STACK_BYTES (256 * 1024)
static OWN unsigned char loop_stack[STACK_BYTES] __attribute__((aligned(64)));
static OWN const long long *current = NULL;
/* State of the program: where it waits. What lies below on its stack is no state. */
static unsigned char *waiting_at = NULL;
static int started, ended;

static void loop_body(void);

#if defined(__x86_64__)
/*
 * Goes to another stack without asking the system. What a function must keep lies on the stack while
 * it waits, and nothing else does: registers that a call may change are no state.
 */
void provoke_switch(unsigned char **leave, unsigned char *enter);
__asm__(
    ".text\n"
    ".local provoke_switch\n"
    ".type provoke_switch, @function\n"
    "provoke_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    pushq $0\n    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
    "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
    "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n    addq $8, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size provoke_switch, . - provoke_switch\n");
static OWN unsigned char *outside = NULL;

/* Where the loop begins: registers as they are here, and a return to its first instruction. */
static void prepare_stack(void)
{
    uintptr_t *top = (uintptr_t *)(loop_stack + STACK_BYTES - 64);
    uint32_t mxcsr;
    uint16_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    memset(top - 7, 0, 9 * sizeof *top);
    top[0] = (uintptr_t)loop_body;
    top[-7] = (uintptr_t)control << 32 | mxcsr;
    waiting_at = (unsigned char *)(top - 7);
}

static void go_in(void) { provoke_switch(&outside, waiting_at); }
static void go_out(void) { provoke_switch(&waiting_at, outside); }
#else
static OWN ucontext_t outside;
static ucontext_t inside;

static void prepare_stack(void)
{
    getcontext(&inside);
    inside.uc_stack.ss_sp = loop_stack;
    inside.uc_stack.ss_size = STACK_BYTES;
    inside.uc_link = NULL;
    makecontext(&inside, loop_body, 0);
}

static void go_in(void)
{
    swapcontext(&outside, &inside);
#if defined(__aarch64__)
    waiting_at = (unsigned char *)inside.uc_mcontext.sp;
#else
    waiting_at = loop_stack;
#endif
}

static void go_out(void) { swapcontext(&inside, &outside); }
#endif

static void loop_body(void)
{
    provoke_program_loop();
    ended = 1;
    go_out();
}

static void resume(void)
{
    if (!started) {
        started = 1;
        prepare_stack();
    }
    go_in();
    if (ended) {
        waiting_at = NULL;
    }
}

/* The end of a step, called from within the program. */
void provoke_yield(void)
{
    go_out();
}

/* What an input is; without a tick, asking for the first one begins a new step. */
long long provoke_input(int index)
{
    if (provoke_boundary == index) {
        provoke_yield();
    }
    return current == NULL ? 0 : current[index];
}

/* ---- Saving and restoring ---- */

/* What the program did beside computing since the last reset. */
static OWN unsigned long allocations = 0, releases = 0, starts = 0;

static size_t fixed_bytes(void)
{
    size_t bytes = 0;
    int i;
    for (i = 0; i < range_count; i++) {
        bytes += (size_t)(ranges[i].end - ranges[i].start);
    }
    return bytes;
}

static size_t live_stack(void)
{
    return waiting_at == NULL ? 0 : (size_t)(loop_stack + STACK_BYTES - waiting_at);
}

/* How many bytes the state has now. */
size_t provoke_memory_size(void)
{
    return fixed_bytes() + live_stack();
}

void provoke_save(unsigned char *bytes)
{
    int i;
    for (i = 0; i < range_count; i++) {
        size_t length = (size_t)(ranges[i].end - ranges[i].start);
        memcpy(bytes, ranges[i].start, length);
        bytes += length;
    }
    memcpy(bytes, waiting_at == NULL ? loop_stack : waiting_at, live_stack());
}

void provoke_restore(const unsigned char *bytes)
{
    int i;
    for (i = 0; i < range_count; i++) {
        size_t length = (size_t)(ranges[i].end - ranges[i].start);
        memcpy(ranges[i].start, bytes, length);
        bytes += length;
    }
    memcpy(waiting_at == NULL ? loop_stack : waiting_at, bytes, live_stack());
    starts = 0;
}

void provoke_reset(void);

/* Goes to where the first step begins. */
static void begin(void)
{
    provoke_program_init();
    if (provoke_own_loop && provoke_boundary >= 0) {
        resume();
    }
}

/* Finds the state and keeps the first one. */
static void prepare(void)
{
    int pass;
    if (initial != NULL) {
        return;
    }
    for (pass = 0; pass < 2; pass++) {
        dl_iterate_phdr(visit_object, &pass);
    }
    exclude(__start_provoke_own, __stop_provoke_own);
    exclude(__start___llvm_prf_cnts, __stop___llvm_prf_cnts);
    exclude(__start___llvm_prf_bits, __stop___llvm_prf_bits);
    exclude(__start___llvm_prf_data, __stop___llvm_prf_data);
    exclude(__start___llvm_prf_vnds, __stop___llvm_prf_vnds);
    begin();
    initial = __real_malloc(provoke_memory_size() + 1);
    if (initial == NULL) {
        abort();
    }
    provoke_save(initial);
}

void provoke_reset(void)
{
    prepare();
    provoke_restore(initial);
    trouble = 0;
    allocations = releases = starts = 0;
}

/* ---- What was reached: edges between blocks, and vectors of decisions ---- */

#define EDGES 65536
#define MAX_GUARDS 131072
#define MAX_BITS 65536
static OWN unsigned char edge_seen[EDGES];
static OWN unsigned char guard_seen[MAX_GUARDS];
static OWN uint32_t guard_count = 0;
static OWN unsigned char bits_seen[MAX_BITS];
static OWN uint32_t fresh = 0;
static OWN uintptr_t previous = 0;

/* A block after another, also across calls and returns: what a search looks for. */
static void follow(uintptr_t block)
{
    uintptr_t here = block * 0x9E3779B1u;
    uint32_t edge = (uint32_t)(((here >> 8) ^ previous) & (EDGES - 1));
    previous = (here >> 8) * 5;
    if (!edge_seen[edge]) {
        edge_seen[edge] = 1;
        fresh++;
    }
}

/* Called at each block by code that gcc instruments. */
void __sanitizer_cov_trace_pc(void)
{
    follow((uintptr_t)__builtin_return_address(0) - (uintptr_t)provoke_program_step);
}

/* Called at each edge between blocks by code that clang instruments: edges have numbers. */
void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (!guard_seen[*guard]) {
        guard_seen[*guard] = 1;
        fresh++;
    }
    follow(*guard);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to)
{
    for (; from < to && *from == 0; from++) {
        guard_count = guard_count < MAX_GUARDS - 1 ? guard_count + 1 : guard_count;
        *from = guard_count;
    }
}

static size_t bit_bytes(void)
{
    size_t size = __start___llvm_prf_bits == NULL ? 0 : (size_t)(__stop___llvm_prf_bits - __start___llvm_prf_bits);
    return size < MAX_BITS ? size : MAX_BITS;
}

/* How many items were reached for the first time since the last call. */
uint32_t provoke_fresh(void)
{
    size_t i, size = bit_bytes();
    uint32_t count = fresh;
    fresh = 0;
    for (i = 0; i < size; i++) {
        unsigned char novel = (unsigned char)(__start___llvm_prf_bits[i] & ~bits_seen[i]);
        if (novel) {
            bits_seen[i] |= novel;
            count += (uint32_t)__builtin_popcount(novel);
        }
    }
    return count;
}

/* Begins to count items anew. */
void provoke_forget(void)
{
    memset(edge_seen, 0, sizeof edge_seen);
    memset(guard_seen, 0, guard_count + 1);
    memset(bits_seen, 0, sizeof bits_seen);
    if (bit_bytes() > 0) {
        memset(__start___llvm_prf_bits, 0, bit_bytes());
    }
    fresh = 0;
    previous = 0;
}

/* The items reached since provoke_forget; returns how many there are. They are edges within
   functions where they are known, else whatever followed each other; and vectors of decisions. */
uint32_t provoke_items(uint32_t *items, uint32_t room)
{
    const unsigned char *seen = guard_count > 0 ? guard_seen : edge_seen;
    uint32_t edges = guard_count > 0 ? guard_count + 1 : EDGES;
    uint32_t count = 0, i;
    (void)provoke_fresh();
    for (i = 0; i < edges; i++) {
        if (seen[i]) {
            if (count < room) {
                items[count] = i;
            }
            count++;
        }
    }
    for (i = 0; i < bit_bytes() * 8; i++) {
        if (bits_seen[i / 8] >> (i % 8) & 1) {
            if (count < room) {
                items[count] = MAX_GUARDS + i;
            }
            count++;
        }
    }
    return count;
}

/* ---- What programs do beside computing ---- */

static OWN unsigned long start_limit = 16;

unsigned long provoke_allocations(void) { return allocations; }
unsigned long provoke_live(void) { return allocations - releases; }
unsigned long provoke_starts(void) { return starts; }

/* ---- Steps that come back ---- */

/* Not thread-local: a handler that is the first to touch such a variable would allocate. */
static OWN sigjmp_buf escape;
static OWN volatile sig_atomic_t stepping = 0;
static OWN volatile unsigned long step_number = 0;
static OWN pthread_t stepper;
/* Whether this thread is inside a step of this program. */
#define guarding (stepping && pthread_equal(stepper, pthread_self()))
static struct sigaction before[65] OWN;
static struct sigaction before_tick OWN;
static OWN timer_t timer;
static OWN int guarded = 0;
static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
#define NUMBERS (sizeof numbers / sizeof numbers[0])
static OWN long limit_ms = 1000;

static void leave(long reason)
{
    if (guarding) {
        stepping = 0;
        siglongjmp(escape, (int)reason);
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    if (guarding) {
        leave(SIGNALLED + number);
    }
    /* Not ours: whoever was asked before. */
    if (before[number].sa_flags & SA_SIGINFO) {
        before[number].sa_sigaction(number, info, context);
    } else if (before[number].sa_handler != SIG_IGN && before[number].sa_handler != SIG_DFL) {
        before[number].sa_handler(number);
    } else {
        signal(number, SIG_DFL);
        raise(number);
    }
}

static long cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#define TICK_MS 20

/* A step that is still the same one, and has worked or slept too long, hangs. */
static void on_tick(int number)
{
    static OWN unsigned long seen = 0;
    static OWN long since = 0, ticks = 0;
    int saved = errno;
    if (guarding && seen != step_number) {
        seen = step_number;
        since = cpu_ms();
        ticks = 0;
    } else if (guarding && (cpu_ms() - since > limit_ms || ++ticks * TICK_MS > limit_ms * 20)) {
        errno = saved;
        leave(HANGS);
    }
    if (!guarding && before_tick.sa_handler != SIG_DFL && before_tick.sa_handler != SIG_IGN) {
        /* Another program may be explored in this thread. */
        before_tick.sa_handler(number);
    }
    errno = saved;
}

/* Makes steps of this thread come back, whatever the program does. */
void provoke_guard(long step_ms)
{
    struct sigaction action;
    struct sigevent event;
    struct itimerspec every = { { 0, TICK_MS * 1000000 }, { 0, TICK_MS * 1000000 } };
    stack_t alternative;
    size_t i;

    limit_ms = step_ms;
    if (guarded) {
        return;
    }
    guarded = 1;
    /* Stacks for handlers are often too small for one handler that interrupts another. */
    alternative.ss_size = 128 * 1024;
    alternative.ss_sp = __real_malloc(alternative.ss_size);
    alternative.ss_flags = 0;
    if (alternative.ss_sp != NULL) {
        sigaltstack(&alternative, NULL);
    }
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaddset(&action.sa_mask, SIGRTMIN + 7);
    for (i = 0; i < NUMBERS; i++) {
        sigaction(numbers[i], &action, &before[numbers[i]]);
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_ONSTACK | SA_RESTART;
    sigaction(SIGRTMIN + 7, &action, &before_tick);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN + 7;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &every, NULL);
    }
}

/* A library that is unloaded leaves nothing behind that would call it. */
__attribute__((destructor)) static void unguard(void)
{
    size_t i;
    if (guarded) {
        timer_delete(timer);
        signal(SIGRTMIN + 7, SIG_IGN);
        for (i = 0; i < NUMBERS; i++) {
            sigaction(numbers[i], &before[numbers[i]], NULL);
        }
    }
}

/* What the program printed in this step. */
long long provoke_printed = 0;

static void plain_step(const long long *in, long long *out)
{
    previous = 0;
    provoke_printed = 0;
    if (!provoke_own_loop) {
        provoke_program_step(in);
    } else if (!ended) {
        current = in;
        resume();
        current = NULL;
    }
    provoke_program_read(out);
    /* Inputs that lie in variables are set before they are read again: they are no state. */
    provoke_program_clear();
}

/* What the outputs are now, before any step. */
void provoke_outputs(long long *out)
{
    provoke_program_read(out);
}

/* A step; 0, or why it did not end. Only a reset or restore is allowed after the latter. */
long provoke_guarded_step(const long long *in, long long *out)
{
    int reason = sigsetjmp(escape, 0);
    if (reason != 0) {
        /* The handler that brought us here has not returned. */
        sigset_t ticks;
        sigemptyset(&ticks);
        sigaddset(&ticks, SIGRTMIN + 7);
        pthread_sigmask(SIG_UNBLOCK, &ticks, NULL);
        return reason;
    }
    step_number++;
    stepper = pthread_self();
    stepping = 1;
    plain_step(in, out);
    stepping = 0;
    return provoke_own_loop && ended ? ENDED : DONE;
}

/* The step of the common interface of libraries; provoke_trouble tells how it went. */
void provoke_step(const long long *in, long long *out)
{
    prepare();
    provoke_guard(limit_ms);
    if (trouble == 0) {
        trouble = provoke_guarded_step(in, out);
    }
}

const char *provoke_trouble(void)
{
    static OWN char text[64];
    if (trouble == 0 || trouble == ENDED) {
        return NULL;
    }
    if (trouble >= STARTS) {
        return "the program starts too many processes or threads";
    } else if (trouble >= HANGS) {
        return "the program does not come back from a step";
    } else if (trouble >= EXITED) {
        snprintf(text, sizeof text, "the program exits with %ld", trouble - EXITED);
    } else {
        snprintf(text, sizeof text, "the program is ended by signal %ld", trouble - SIGNALLED);
    }
    return text;
}

/* ---- Calls of the program that would end more than it (see the linker's --wrap) ---- */

void __real_exit(int code) __attribute__((noreturn));
void __wrap_exit(int code)
{
    leave(EXITED + (code & 255));
    __real_exit(code);
}

void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code)
{
    leave(EXITED + (code & 255));
    __real__exit(code);
}

static void starting(void)
{
    if (guarding && ++starts > start_limit) {
        leave(STARTS);
    }
}

pid_t __real_fork(void);
pid_t __wrap_fork(void)
{
    starting();
#ifndef PROVOKE_MAIN
    /* Nobody wants this whole process twice. */
    leave(STARTS);
#endif
    return __real_fork();
}

int __real_pthread_create(void *thread, const void *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(void *thread, const void *attributes, void *(*body)(void *), void *argument)
{
    starting();
    return __real_pthread_create(thread, attributes, body, argument);
}

int __real_system(const char *command);
int __wrap_system(const char *command)
{
    starting();
    return __real_system(command);
}

#ifndef PROVOKE_FILL
#define PROVOKE_FILL 0
#endif

#ifdef PROVOKE_MAIN
/* The process of a test has its limit from the system. */
static int refused(size_t size) { (void)size; return 0; }
#else
/* A process that others work in, too, is not the program's to fill. */
#define MAX_TAKEN ((size_t)64 << 20)
static OWN size_t taken = 0;
static int refused(size_t size)
{
    return guarding && (size > MAX_TAKEN || taken + size > MAX_TAKEN);
}
#endif

static void note_taken(void *memory)
{
#ifndef PROVOKE_MAIN
    taken += malloc_usable_size(memory);
#endif
    allocations++;
    (void)memory;
}

void *__wrap_malloc(size_t size)
{
    void *memory = refused(size) ? NULL : __real_malloc(size);
    if (memory != NULL && guarding) {
        note_taken(memory);
        /* Two builds with different fillings tell whether a program reads what it never wrote. */
        memset(memory, PROVOKE_FILL, size);
    }
    return memory;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    void *memory = size > 0 && refused(count > SIZE_MAX / size ? SIZE_MAX : count * size) ? NULL : __real_calloc(count, size);
    if (memory != NULL && guarding) {
        note_taken(memory);
    }
    return memory;
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    void *memory = refused(size) ? NULL : __real_realloc(old, size);
    if (memory != NULL && guarding && old == NULL) {
        note_taken(memory);
    }
    return memory;
}

void __real_free(void *memory);
void __wrap_free(void *memory)
{
    if (memory != NULL && guarding) {
#ifndef PROVOKE_MAIN
        size_t size = malloc_usable_size(memory);
        taken -= size < taken ? size : taken;
#endif
        releases++;
    }
    __real_free(memory);
}

/* A program that reads its inputs with scanf gets them here, one for each conversion. */
int provoke_scan(const char *format, va_list places)
{
    int count = 0;
    for (; *format; format++) {
        int longs = 0, shorts = 0;
        long long value;
        if (*format != '%' || *++format == '%') {
            continue;
        }
        while (strchr("0123456789lhjzt", *format) && *format) {
            longs += *format == 'l' || *format == 'j' || *format == 'z' || *format == 't';
            shorts += *format == 'h';
            format++;
        }
        value = provoke_input(0);
        switch (*format) {
        case 'f': case 'g': case 'e': {
            double real;
            memcpy(&real, &value, sizeof real);
            if (longs) { *va_arg(places, double *) = real; } else { *va_arg(places, float *) = (float)real; }
            break;
        }
        case 'c': *va_arg(places, char *) = (char)value; break;
        default:
            if (longs > 0) { *va_arg(places, long *) = (long)value; }
            else if (shorts > 1) { *va_arg(places, signed char *) = (signed char)value; }
            else if (shorts > 0) { *va_arg(places, short *) = (short)value; }
            else { *va_arg(places, int *) = (int)value; }
        }
        count++;
    }
    return count;
}

int __wrap_scanf(const char *format, ...)
{
    va_list places;
    int count;
    va_start(places, format);
    count = provoke_scan(format, places);
    va_end(places);
    return count;
}

/* The name that newer headers give it. */
int __wrap___isoc99_scanf(const char *format, ...) __attribute__((alias("__wrap_scanf")));

/* Nothing is printed; the first number of the last line of a step may be an output. */
int __wrap_printf(const char *format, ...)
{
    const char *at = strchr(format, '%');
    va_list values;
    va_start(values, format);
    while (at != NULL && at[1] == '%') { at = strchr(at + 2, '%'); }
    if (at != NULL) {
        at += 1 + strspn(at + 1, "0123456789+- #.");
        if (strchr("diuxcX", *at) && *at) { provoke_printed = va_arg(values, int); }
        else if (*at == 'l') { provoke_printed = va_arg(values, long); }
    }
    va_end(values);
    return 0;
}

int __wrap_puts(const char *text) { (void)text; return 0; }
int __wrap_putchar(int c) { return c; }

#ifdef PROVOKE_MAIN
/* ---- A process for each test ---- */

static int read_all(int file, void *bytes, size_t count)
{
    unsigned char *at = bytes;
    while (count > 0) {
        ssize_t done = read(file, at, count);
        if (done <= 0) {
            if (done < 0 && errno == EINTR) { continue; }
            return 0;
        }
        at += done;
        count -= (size_t)done;
    }
    return 1;
}

static void write_all(int file, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    while (count > 0) {
        ssize_t done = write(file, at, count);
        if (done < 0 && errno == EINTR) { continue; }
        if (done <= 0) { __real__exit(3); }
        at += done;
        count -= (size_t)done;
    }
}

/* What is reported of a test: why it ended, how far it came, what it did, what it showed. */
typedef struct { int64_t reason, steps, allocations, live, starts; } report_t;

static void run_test(const long long *in, uint32_t steps, long long *out, report_t *report)
{
    uint32_t i;
    provoke_program_read(out);
    for (i = 0; i < steps && report->reason == 0; i++) {
        report->reason = provoke_guarded_step(in + (size_t)i * provoke_input_count, out + (size_t)(i + 1) * provoke_output_count);
        report->steps = i + (report->reason == 0 || report->reason == ENDED);
        report->allocations = (int64_t)allocations;
        report->live = (int64_t)(allocations - releases);
        report->starts = (int64_t)starts;
    }
}

static void limit(int what, long amount)
{
    struct rlimit rlimit;
    rlimit.rlim_cur = rlimit.rlim_max = (rlim_t)amount;
    setrlimit(what, &rlimit);
}

static void confine(long memory_mb, long processes, long cpu_s)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 64L << 20);
    limit(RLIMIT_CPU, cpu_s);
    if (memory_mb > 0) { limit(RLIMIT_AS, memory_mb << 20); }
    limit(RLIMIT_NPROC, processes + 512);
    start_limit = (unsigned long)processes;
}

/* Arguments: step_ms memory_mb processes keep; tests come on standard input. */
int main(int argc, char **argv)
{
    long step_ms = argc > 1 ? atol(argv[1]) : 1000;
    long memory_mb = argc > 2 ? atol(argv[2]) : 512;
    long processes = argc > 3 ? atol(argv[3]) : 16;
    int together = argc > 4 && strcmp(argv[4], "together") == 0;
    int answers = dup(1), quiet = 2;
    uint32_t steps;
    /* What the program prints is not an answer. */
    dup2(quiet, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    /* A process that ends with its test needs no saved state. */
    if (together) {
        prepare();
    } else {
        begin();
    }
    while (read_all(0, &steps, sizeof steps)) {
        size_t in_bytes = (size_t)steps * (size_t)provoke_input_count * 8 + 8;
        size_t out_words = ((size_t)steps + 1) * (size_t)provoke_output_count;
        size_t bytes = sizeof(report_t) + out_words * 8 + 8;
        long long *in = __real_malloc(in_bytes);
        report_t *report = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        long long *out = (long long *)(report + 1);
        if (in == NULL || report == MAP_FAILED || !read_all(0, in, in_bytes - 8)) { __real__exit(3); }
        if (together) {
            provoke_reset();
            provoke_guard(step_ms);
            run_test(in, steps, out, report);
        } else {
            pid_t child = __real_fork();
            int status = 0;
            if (child == 0) {
                setpgid(0, 0);
                confine(memory_mb, processes, 10 + step_ms / 1000 * 4);
                provoke_guard(step_ms);
                /* Until the program says otherwise, it was ended from outside. */
                run_test(in, steps, out, report);
                fflush(NULL);
                if (argc > 4) { __real_exit(0); }
                __real__exit(0);
            }
            while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) { }
            if (child > 0) { kill(-child, SIGKILL); }
            if (child < 0) { report->reason = STARTS; }
            else if (WIFSIGNALED(status)) { report->reason = SIGNALLED + WTERMSIG(status); }
            else if (WEXITSTATUS(status) != 0 && report->reason == 0) { report->reason = EXITED + WEXITSTATUS(status); }
        }
        write_all(answers, report, sizeof *report);
        if (report->steps > (int64_t)steps) { report->steps = steps; }
        write_all(answers, out, ((size_t)report->steps + 1) * (size_t)provoke_output_count * 8);
        munmap(report, bytes);
        __real_free(in);
    }
    if (together) { __real_exit(0); }
    return 0;
}
#endif
