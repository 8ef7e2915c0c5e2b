/**
 * A seccomp filter for a sandbox (SB4), as the program that bubblewrap loads: refuses what
 * namespaces do not keep apart (keyrings, sockets of virtual machines, bpf, perf, io_uring, the
 * kernel's log), typing into a terminal, and new namespaces, by which the inside could undo its
 * mounts. Pure.
 */
type Instruction = readonly [code: number, jt: number, jf: number, value: number]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const ifEqual = (value: number, jt: number, jf: number): Instruction => [0x15, jt, jf, value]
const ifSet = (bits: number, jt: number, jf: number): Instruction => [0x45, jt, jf, bits]
const answer = (value: number): Instruction => [0x06, 0, 0, value]
const allow = answer(0x7fff0000)
const fail = (errno: number): Instruction => answer(0x00050000 | errno)

const [eperm, enosys, noFamily] = [1, 38, 97]
const newUserNamespace = 0x10000000
/**
 * Offsets in the data of a call: its number, the architecture, the low words of its first two
 * arguments.
 */
const [numberAt, archAt, firstAt, secondAt] = [0, 4, 16, 24]

interface Machine {
  readonly audit: number
  readonly calls: Readonly<
    Record<
      'add_key' | 'request_key' | 'keyctl' | 'bpf' | 'perf_event_open' | 'userfaultfd' | 'syslog',
      number
    >
  >
  readonly spaces: Readonly<Record<'setns' | 'mount' | 'umount2' | 'pivot_root', number>>
  readonly ioctl: number
  readonly socket: number
  readonly clone: number
  readonly unshare: number
}

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      syslog: 103,
    },
    spaces: { setns: 308, mount: 165, umount2: 166, pivot_root: 155 },
    ioctl: 16,
    socket: 41,
    clone: 56,
    unshare: 272,
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      syslog: 116,
    },
    spaces: { setns: 268, mount: 40, umount2: 39, pivot_root: 41 },
    ioctl: 29,
    socket: 198,
    clone: 220,
    unshare: 97,
  },
}

/** The same number on every machine. */
const ioUring = [425, 426, 427]
const newMountCalls = [428, 429, 430, 431, 432, 433, 442]
const clone3 = 435

/**
 * Unix, IPv4, IPv6 and netlink. Others, such as vsock, are not kept apart by a network namespace.
 */
const families = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX: type into a terminal. */
const typing = [0x5412, 0x541c]

/**
 * Undefined for machines whose call numbers are not known here. `nested`: its own user namespaces
 * are allowed.
 */
export function seccompFilter(nested: boolean, arch: string = process.arch): Buffer | undefined {
  const machine = machines[arch]
  if (!machine) return undefined
  const { audit, calls, spaces, ioctl, socket, clone, unshare } = machine
  const of = (call: number, ...body: Instruction[]): Instruction[] => [
    ifEqual(call, 0, body.length),
    ...body,
  ]
  const refused = [
    ...Object.values(calls),
    ...ioUring,
    ...(nested ? [] : [...Object.values(spaces), ...newMountCalls]),
  ]
  const noNewUser = (call: number) =>
    of(call, load(firstAt), ifSet(newUserNamespace, 0, 1), fail(eperm), allow)
  const program: Instruction[] = [
    load(archAt),
    ifEqual(audit, 1, 0),
    fail(enosys),
    load(numberAt),
    // Calls of the x32 kind have numbers of their own.
    ...(arch === 'x64' ? ([[0x35, 0, 1, 0x40000000], fail(eperm)] as const) : []),
    ...refused.flatMap((call) => of(call, fail(eperm))),
    ...of(
      socket,
      load(firstAt),
      ...families.map((family, index) => ifEqual(family, families.length - index, 0)),
      fail(noFamily),
      allow,
    ),
    ...of(
      ioctl,
      load(secondAt),
      ifEqual(typing[0] ?? 0, 1, 0),
      ifEqual(typing[1] ?? 0, 0, 1),
      fail(eperm),
      allow,
    ),
    // The flags of `clone3` lie in memory that a filter cannot read. Libraries fall back to
    // `clone`.
    ...(nested ? [] : [...of(clone3, fail(enosys)), ...noNewUser(clone), ...noNewUser(unshare)]),
    allow,
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, jt, jf, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes[index * 8 + 2] = jt
    bytes[index * 8 + 3] = jf
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
