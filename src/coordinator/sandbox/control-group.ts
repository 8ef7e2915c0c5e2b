/**
 * A control group for one sandbox (SB13): the kernel counts its processes and its memory, and
 * refuses more. Only version 2, and only where this process may make one: in its own group or the
 * one above, where that hands both counters down (in systemd with Delegate=yes).
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SandboxLimits } from '../../protocol/processes/sandbox-limits.ts'

const prefix = 'holdfast-'
const controllers = ['pids', 'memory']

export interface ControlGroup {
  /** Before the process starts others: those of before stay outside. */
  add(pid: number): void
  /** Which limit was reached since it was made. */
  reached(): 'processes' | 'memory' | undefined
  /** Ends what is left in it. */
  close(): void
}

/** Where the kernel says where the groups are. */
export interface GroupPlaces {
  readonly mounts: string
  readonly own: string
}

const ofThisProcess: GroupPlaces = { mounts: '/proc/self/mountinfo', own: '/proc/self/cgroup' }

/** Undefined where none can be made. */
export function openControlGroup(
  name: string,
  { maxProcesses, maxMemoryMb }: SandboxLimits,
  places: GroupPlaces = ofThisProcess,
): ControlGroup | undefined {
  const above = groupsAbove(places).find(handsDown)
  if (above === undefined) return undefined
  const folder = join(above, `${prefix}${name}`)
  const put = (file: string, value: string): void => writeFileSync(join(folder, file), value)
  try {
    removeLeft(above)
    mkdirSync(folder)
    put('pids.max', String(maxProcesses))
    put('memory.max', String(maxMemoryMb * 1024 ** 2))
    // Killed whole: what is left of an agent that has lost some of its processes is no agent.
    put('memory.oom.group', '1')
  } catch {
    remove(folder)
    return undefined
  }
  const count = (file: string, field: string): number =>
    Number(new RegExp(`^${field} (\\d+)$`, 'm').exec(textOf(join(folder, file)))?.[1] ?? 0)
  return {
    add: (pid) => put('cgroup.procs', String(pid)),
    reached() {
      if (count('memory.events', 'oom_kill') > 0) return 'memory'
      return count('pids.events', 'max') > 0 ? 'processes' : undefined
    },
    close() {
      try {
        put('cgroup.kill', '1')
      } catch {
        // An older kernel; its processes have ended.
      }
      remove(folder)
    },
  }
}

/** This process's group and the one above. */
function groupsAbove({ mounts, own }: GroupPlaces): string[] {
  const mount = textOf(mounts)
    .split('\n')
    .find((line) => / - cgroup2 /.test(line))
    ?.split(' ')[4]
  const path = /^0::(\/.*)$/m.exec(textOf(own))?.[1]
  if (mount === undefined || path === undefined || path.includes('/..')) return []
  const group = join(mount, path)
  return path === '/' ? [group] : [group, dirname(group)]
}

/** A group with processes of its own hands nothing down, so asking for it fails there. */
function handsDown(group: string): boolean {
  const file = join(group, 'cgroup.subtree_control')
  const has = (): boolean => controllers.every((each) => textOf(file).split(/\s+/).includes(each))
  if (has()) return true
  try {
    writeFileSync(file, controllers.map((each) => `+${each}`).join(' '))
  } catch {
    return false
  }
  return has()
}

/** Those of coordinators that were killed. One with processes stays. */
function removeLeft(above: string): void {
  for (const name of readdirSync(above)) if (name.startsWith(prefix)) remove(join(above, name))
}

function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // There are processes in it, or it was never made.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
