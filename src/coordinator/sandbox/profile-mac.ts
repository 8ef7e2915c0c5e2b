/**
 * A profile for `sandbox-exec` on macOS, by the system's own means (SB3). It has not been tried on
 * a Mac. The agent shares the machine's loopback there, so only the ports of its forwarder are
 * allowed. Pure.
 */
export interface MacProfileOptions {
  readonly writable: readonly string[]
  readonly readable: readonly string[]
  readonly hidden: readonly string[]
  readonly bridge: string
  readonly ports: readonly number[]
}

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
const below = (paths: readonly string[]): string =>
  paths.map((path) => `(subpath ${quoted(path)})`).join(' ')

/** The last rule that matches counts. */
export const macProfile = ({
  writable,
  readable,
  hidden,
  bridge,
  ports,
}: MacProfileOptions): string =>
  [
    '(version 1)',
    '(deny default)',
    '(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read) (allow mach-lookup)',
    '(allow file-read-metadata)',
    `(allow file-read* ${below(['/usr', '/bin', '/sbin', '/System', '/Library', '/private/etc', '/private/var/db', '/dev', '/opt'])})`,
    `(deny file-read* ${below(hidden)})`,
    `(allow file-read* ${below([...readable, ...writable])})`,
    `(allow file-write* ${below([...writable, '/private/tmp', '/dev'])})`,
    `(allow network-outbound (literal ${quoted(bridge)}) ${ports.map((port) => `(remote ip "localhost:${port}")`).join(' ')})`,
    `(allow network-bind network-inbound ${ports.map((port) => `(local ip "localhost:${port}")`).join(' ')})`,
  ].join('\n')
