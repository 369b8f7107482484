/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets NVTX ranges of every kind around CUDA calls, and says which: one line "WHAT DOMAIN/NAME" each, in order. ranges WHAT [N].
 * Built with the real nvtx3 headers where there are some (-DREAL), and with small_nvtx.h.
 */
#define _GNU_SOURCE
#ifdef REAL
#include <nvtx3/nvToolsExt.h>
#else
#include "tests/nvtx/small_nvtx.h"
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaGetDevice(int *device);

static void cuda(void)
{
    int device;
    cudaGetDevice(&device);
}

static void say(const char *what, const char *domain, const char *name)
{
    printf("%s %s/%s\n", what, domain, name);
}

static int push(const char *name)
{
    say("push", "", name);
    return nvtxRangePushA(name);
}

static void pop(const char *name)
{
    say("pop", "", name);
    nvtxRangePop();
}

static nvtxEventAttributes_t attributes(void)
{
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return a;
}

static void of_domains(void)
{
    nvtxDomainHandle_t mine = nvtxDomainCreateA("mine");
    nvtxStringHandle_t kept = nvtxDomainRegisterStringA(mine, "registered");
    nvtxEventAttributes_t a = attributes();
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = kept;
    say("push", "mine", "registered");
    nvtxDomainRangePushEx(mine, &a);
    push("outer"); /* the two stacks cross */
    cuda();
    say("pop", "mine", "registered");
    nvtxDomainRangePop(mine);
    pop("outer");
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = L"weit \u00fc\U0001f600";
    a.colorType = 1;
    a.color = 0xff00ff00;
    say("push", "", "weit \xc3\xbc\xf0\x9f\x98\x80");
    nvtxRangePushEx(&a);
    pop("weit \xc3\xbc\xf0\x9f\x98\x80");
    say("push", "", "wide");
    nvtxRangePushW(L"wide");
    pop("wide");
}

static void *other_thread(void *range)
{
    cuda();
    say("end", "", "across");
    nvtxRangeEnd(*(nvtxRangeId_t *)range);
    return 0;
}

static void everything(void)
{
    char same[64];
    pthread_t thread;
    push("before any CUDA call");
    nvtxRangePop();
    printf("clear\n"); /* what came so far is not recorded */
    cuda();
    for (int i = 0; i < 6; i++) {
        snprintf(same, sizeof same, "built %d", i % 2); /* another text at the same address */
        push(same);
        cuda();
        pop(same);
    }
    say("mark", "", "a mark");
    nvtxMarkA("a mark");
    of_domains();
    say("start", "", "across");
    nvtxRangeId_t range = nvtxRangeStartA("across");
    pthread_create(&thread, 0, other_thread, &range);
    pthread_join(thread, 0);
    printf("answer %d\n", nvtxRangePushA("answer"));
    nvtxRangePop();
}

/* n steps, each a range with another in it */
static void steps(long n)
{
    cuda();
    for (long i = 0; i < n; i++) {
        nvtxRangePushA("step");
        cuda();
        nvtxRangePushA("inner");
        cuda();
        nvtxRangePop();
        nvtxRangePop();
        cuda();
    }
}

static void many_names(long n)
{
    char name[32];
    cuda();
    for (long i = 0; i < n; i++) {
        snprintf(name, sizeof name, "name %ld", i);
        nvtxRangePushA(name);
        nvtxRangePop();
    }
}

static void in_child(void)
{
    cuda();
    push("parent");
    fflush(stdout);
    if (fork() == 0) {
        cuda();
        nvtxRangePushA("child");
        nvtxRangePushA("parent");
        nvtxRangePop();
        nvtxRangePop();
        exit(0);
    }
    wait(0);
    pop("parent");
}

/* ns per push and pop */
static void cost(long n)
{
    struct timespec a, b;
    cuda();
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < n; i++) {
        nvtxRangePushA("a range of a usual length");
        nvtxRangePop();
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.1f ns\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / (double)n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 1;
    if (!strcmp(what, "everything"))
        everything();
    else if (!strcmp(what, "steps"))
        steps(n);
    else if (!strcmp(what, "many-names"))
        many_names(n);
    else if (!strcmp(what, "child"))
        in_child();
    else if (!strcmp(what, "cost"))
        cost(n);
    else if (!strcmp(what, "no-cuda"))
        push("alone"), pop("alone");
    else
        return 2;
    return 0;
}
