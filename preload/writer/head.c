/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys: docs/trace-format.md, section 5.3. What is not known is left away. Read from /proc, /sys and the environment only: nothing is
 * started, imported or asked of CUDA. What the paths of mapped libraries tell is in versions.c.
 */
#define _GNU_SOURCE
#include "preload/writer/head.h"

#include "preload/writer/define.h"
#include "preload/writer/settings.h"
#include "preload/writer/text.h"
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

uint64_t ovh_head_process_start(void)
{
    char text[1024];
    if (ovh_text_read("/proc/self/stat", text, sizeof text) <= 0)
        return 0;
    char *at = strrchr(text, ')'); /* the name in brackets may hold anything; field 3 follows */
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, 0, 10) : 0;
}

/* One argument as a shell needs it. Returns where the text ends now. */
static size_t quote(char *to, size_t at, size_t room, const char *argument)
{
    bool plain = *argument && !argument[strspn(argument, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")];
    if (at && at + 1 < room)
        to[at++] = ' ';
    if (!plain && at + 1 < room)
        to[at++] = '\'';
    for (; *argument && at + 8 < room; argument++) {
        if (*argument == '\'') {
            memcpy(to + at, "'\\''", 4);
            at += 4;
        } else {
            to[at++] = *argument;
        }
    }
    if (!plain && at + 1 < room)
        to[at++] = '\'';
    to[at] = 0;
    return at;
}

static void command_line(void)
{
    static char text[8192], quoted[9000]; /* one thread opens the trace */
    ssize_t n = ovh_text_read("/proc/self/cmdline", text, sizeof text);
    size_t at = 0;
    if (n <= 0)
        return;
    for (const char *argument = text; argument < text + n; argument += strlen(argument) + 1)
        at = quote(quoted, at, sizeof quoted, argument);
    ovh_define_value("command", ovh_setting_on(OVH_SETTING_REDACT) ? "(masked)" : quoted);
}

static void from_environment(const char *key, const char *const *variables)
{
    for (; *variables; variables++) {
        const char *value = getenv(*variables);
        if (value && *value && strlen(value) < 256) {
            ovh_define_value(key, value);
            return;
        }
    }
}

static void launcher(void)
{
    from_environment("rank", (const char *const[]){"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", 0});
    from_environment("world_size", (const char *const[]){"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", 0});
    from_environment("local_rank", (const char *const[]){"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", 0});
    from_environment("restart", (const char *const[]){"TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT", 0});
    from_environment("slurm.job", (const char *const[]){"SLURM_JOB_ID", 0});
    ovh_define_value("launcher", getenv("TORCHELASTIC_RUN_ID") ? "torchrun" : getenv("OMPI_COMM_WORLD_RANK") ? "mpirun"
                     : getenv("SLURM_STEP_ID") ? "srun" : getenv("RANK") ? "unknown" : "none");
}

void ovh_head_early(void)
{
    struct utsname system;
    char path[1024];
    ovh_define_value("ovh", OVH_VERSION);
    if (uname(&system) == 0) {
        ovh_define_value("host", system.nodename);
        ovh_define_value("kernel", system.release);
    }
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = 0;
        ovh_define_value("executable", path);
    }
    command_line();
    launcher();
}

void ovh_head_child(uint32_t parent, const char *file)
{
    char number[16];
    snprintf(number, sizeof number, "%u", parent);
    ovh_define_value("parent.pid", number);
    ovh_define_value("parent.file", file);
}

static void value_of_file(const char *key, const char *path)
{
    char text[256];
    if (ovh_text_read(path, text, sizeof text) > 0) {
        text[strcspn(text, "\n")] = 0;
        ovh_define_value(key, text);
    }
}

/* A line of a file such as /proc/cpuinfo: the first `name : value`. */
static bool value_of_line(const char *key, const char *text, const char *name, char separator)
{
    char value[256];
    if (!ovh_text_field(text, name, separator, value, sizeof value))
        return false;
    ovh_define_value(key, value);
    return true;
}

/* Arm's cpuinfo names no model, only numbers: those of the cores that GPU machines have (Arm's MIDR part numbers). */
static void arm_model(const char *text)
{
    static const struct {
        const char *part, *name;
    } cores[] = {{"0xd0c", "Arm Neoverse-N1"}, {"0xd40", "Arm Neoverse-V1"}, {"0xd49", "Arm Neoverse-N2"}, {"0xd4f", "Arm Neoverse-V2"}};
    char part[32], name[64];
    if (!ovh_text_field(text, "CPU part", ':', part, sizeof part))
        return;
    snprintf(name, sizeof name, "Arm part %s", part);
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (!strcmp(part, cores[i].part))
            snprintf(name, sizeof name, "%s", cores[i].name);
    ovh_define_value("cpu.model", name);
}

static void processor(void)
{
    static char text[8192];
    char number[32];
    snprintf(number, sizeof number, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    ovh_define_value("cpu.count", number);
    if (ovh_text_read("/proc/cpuinfo", text, sizeof text) > 0) {
        if (!value_of_line("cpu.model", text, "model name", ':'))
            arm_model(text);
        value_of_line("cpu.mhz", text, "cpu MHz", ':');
    }
    value_of_file("cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    value_of_file("clock.source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    if (ovh_text_read("/proc/self/status", text, sizeof text) > 0) {
        value_of_line("cpu.affinity", text, "Cpus_allowed_list", ':');
        value_of_line("cpu.numa", text, "Mems_allowed_list", ':');
    }
}

static void driver(void)
{
    static char text[4096];
    char name[128];
    if (ovh_text_read("/proc/driver/nvidia/version", text, sizeof text) <= 0)
        return;
    /* "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Tue ..." */
    for (const char *at = strstr(text, "Module"); at && *at && *at != '\n'; at++)
        if (at[-1] == ' ' && *at >= '0' && *at <= '9') {
            snprintf(name, sizeof name, "%.*s", (int)strspn(at, "0123456789."), at);
            ovh_define_value("gpu.driver", name);
            break;
        }
    char first[300];
    int n = ovh_text_list("/proc/driver/nvidia/gpus", first, sizeof first);
    if (n <= 0)
        return;
    snprintf(name, sizeof name, "%d", n);
    ovh_define_value("gpu.count", name);
    char path[400];
    snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", first);
    if (ovh_text_read(path, text, sizeof text) > 0)
        value_of_line("gpu.name", text, "Model", ':');
}

void ovh_head_late(void)
{
    static char text[4096];
    char name[128];
    processor();
    ovh_define_value("glibc", gnu_get_libc_version());
    if (ovh_text_read("/etc/os-release", text, sizeof text) > 0 && ovh_text_field(text, "PRETTY_NAME", '=', name, sizeof name)) {
        size_t n = strlen(name), quoted = name[0] == '"' && n > 1 && name[n - 1] == '"';
        name[n - quoted] = 0;
        ovh_define_value("os", name + quoted);
    }
    driver();
}
