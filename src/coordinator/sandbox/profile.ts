/**
 * The file system and namespaces of a sandbox, as arguments for bubblewrap (SB3, SB4). It begins
 * with an empty root: what is not named here does not exist inside. Mounts are ordered by their
 * path, so a folder inside another is mounted after it.
 */
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { isBelow } from '../../platform/files/path-inside.ts'

export type Mount =
  | { readonly kind: 'read' | 'write'; readonly from: string; readonly to: string }
  /** Empty, writable and gone at the end; what lies there outside is hidden. */
  | { readonly kind: 'empty'; readonly to: string }

export const readable = (path: string): Mount => ({ kind: 'read', from: path, to: path })

export interface ProfileOptions {
  readonly mounts: readonly Mount[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** The agent may make user namespaces of its own. */
  readonly nested: boolean
  /** bubblewrap is 0.8 or later. */
  readonly modern: boolean
  /** SB13: of each temporary folder, where bubblewrap can bound them. */
  readonly tmpMb?: number
}

/**
 * By name, because all of /etc would show what others can read. No resolver: names are looked up by
 * the bridge outside.
 */
const etc = [
  ...[
    'alternatives',
    'ssl',
    'pki',
    'hosts',
    'nsswitch.conf',
    'ld.so.cache',
    'localtime',
    'timezone',
    'passwd',
    'group',
  ],
  ...[
    'gitconfig',
    'mime.types',
    'services',
    'bash.bashrc',
    'profile',
    'terminfo',
    'fonts',
    'os-release',
    'java',
  ],
].map((name) => `/etc/${name}`)
/** In folders that are shown; root could read them. */
const privateKeys = ['/etc/ssl/private', '/etc/pki/tls/private', '/etc/pki/CA/private']
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/** Writable for uid 0 through the sandbox's own /proc: code on the host by `core_pattern`. */
const kernelFiles = [
  'sys',
  'sysrq-trigger',
  'irq',
  'bus',
  'acpi',
  'scsi',
  'fs',
  'driver',
  'tty',
  'mtrr',
  'pressure',
].map((name) => `/proc/${name}`)
/** Say what others do on the machine. */
const maskedFiles = [
  'keys',
  'key-users',
  'kcore',
  'kmsg',
  'kallsyms',
  'timer_list',
  'sched_debug',
  'latency_stats',
]
  .map((name) => `/proc/${name}`)
  .filter((path) => existsSync(path))
const usualTmpMb = 4096
const temporary = ['/tmp', '/run', '/dev/shm']

/** A link into /usr is a link inside, without a mount. */
function shownAs(path: string): string[] {
  const isLink = lstatSync(path).isSymbolicLink() && realpathSync(path).startsWith('/usr/')
  return isLink ? ['--symlink', realpathSync(path), path] : ['--ro-bind-try', path, path]
}

/**
 * A folder above shows it already, and nothing hides it between. Each mount costs a third of a
 * millisecond.
 */
function isShown(mount: Mount, all: readonly Mount[]): boolean {
  if (mount.kind !== 'read' || mount.from !== mount.to) return false
  const above = all.filter(({ to }) => isBelow(to, mount.to))
  const nearest = above.toSorted((a, b) => b.to.length - a.to.length)[0]
  return nearest?.kind === 'read' && nearest.from === nearest.to
}

export function bwrapArguments({
  mounts,
  folder,
  env,
  nested,
  modern,
  tmpMb = usualTmpMb,
}: ProfileOptions): string[] {
  const sized = modern ? ['--size', String(tmpMb * 1024 ** 2)] : []
  const all: Mount[] = [...temporary.map((to) => ({ kind: 'empty' as const, to })), ...mounts]
  const depth = ({ to }: Mount): number => to.split('/').filter(Boolean).length
  return [
    ...[
      '--unshare-user',
      '--unshare-pid',
      '--unshare-ipc',
      '--unshare-uts',
      '--unshare-net',
      '--unshare-cgroup-try',
    ],
    ...(nested || !modern ? [] : ['--disable-userns']),
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--hostname', 'workplace'],
    ...['--ro-bind', '/usr', '/usr'],
    ...systemFolders.flatMap((path) => {
      if (!existsSync(path)) return []
      return lstatSync(path).isSymbolicLink()
        ? ['--symlink', readlinkSync(path), path]
        : ['--ro-bind', path, path]
    }),
    ...etc.filter((path) => existsSync(path)).flatMap((path) => shownAs(path)),
    ...privateKeys.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    ...['--proc', '/proc'],
    ...kernelFiles.flatMap((path) => ['--ro-bind-try', path, path]),
    ...maskedFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--dev', '/dev', '--dir', '/var/lib', '--symlink', '/tmp', '/var/tmp'],
    ...all
      .filter((each) => !isShown(each, all))
      .toSorted((a, b) => depth(a) - depth(b))
      .flatMap((each) => {
        if (each.kind === 'empty') return [...sized, '--tmpfs', each.to]
        return [each.kind === 'read' ? '--ro-bind' : '--bind', each.from, each.to]
      }),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', folder],
    // The new root is a tmpfs and would stay writable.
    ...['--remount-ro', '/'],
  ]
}
