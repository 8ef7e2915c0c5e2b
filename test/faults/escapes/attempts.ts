/**
 * Escape attempts, each a piece of shell. One has got out when it prints the scene's secret or
 * `ESCAPED`, or when `after` finds on the host what it has done. Nothing that would harm the host
 * is done: what could be written is asked with `-w`.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { findPackageRoot } from '../../../src/platform/files/package-root.ts'
import { type Scene, textAt } from './scene.ts'

const programFolder = findPackageRoot().folder

export interface Attempt {
  readonly name: string
  readonly script: (scene: Scene) => string
  /** What is left on the host. */
  readonly after?: (scene: Scene) => boolean
  /**
   * The attempt gets out with no sandbox: part of the control. Left out: only as root, or only with
   * tools that may be missing.
   */
  readonly control?: boolean
  /** Would change the host: never tried without a sandbox. */
  readonly onlyInside?: boolean
}

const reads = (name: string, path: (scene: Scene) => string): Attempt => ({
  name: `read ${name}`,
  script: (s) => `cat ${path(s)}`,
  control: true,
})
const writes = (name: string, path: (scene: Scene) => string): Attempt => ({
  name: `write ${name}`,
  script: (s) => `echo ESCAPE-WRITTEN > ${path(s)}`,
  after: (s) => (textAt(path(s)) ?? '').includes('ESCAPE-WRITTEN'),
  control: true,
})
/** As code for perl, which can make any system call. */
const calls = (name: string, code: string): Attempt => ({ name, script: () => `perl -e '${code}'` })
/** Asked, never written. */
const kernel = (path: string): Attempt => ({
  name: `change ${path}`,
  script: () => `test -w ${path} && echo ESCAPED; true`,
})
const fetches = (name: string, url: (scene: Scene) => string, options = ''): Attempt => ({
  name,
  script: (s) => `curl -s -m 5 ${options} ${url(s)}`,
  control: options === '',
})
/**
 * What is sent to a port of its own loopback, as code for perl: a text with \r\n. Prints what comes
 * back.
 */
const sends = (
  name: string,
  port: (scene: Scene) => number,
  bytes: (scene: Scene) => string,
): Attempt => ({
  name,
  script: (s) =>
    `perl -MIO::Socket::INET -e '$SIG{ALRM} = sub { exit }; alarm 5; $s = IO::Socket::INET->new("127.0.0.1:${port(s)}") or exit; $s->autoflush(1); print $s ${bytes(s)}; print while <$s>'`,
})
const get = (path: string): string =>
  `GET ${path} HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n`
/** A tunnel to another port of the host, by another way to write its address. */
const tunnels = (host: string | ((scene: Scene) => string)): Attempt =>
  sends(
    `another port by a tunnel to ${typeof host === 'string' ? host : 'its outer address, written otherwise'}`,
    () => 3128,
    (s) =>
      `"CONNECT ${typeof host === 'string' ? host : host(s)}:${s.otherPort} HTTP/1.1\\r\\n\\r\\n${get('/')}"`,
  )
const hexOf = (address: string): string =>
  address
    .split('.')
    .map((each, at) => `${at === 2 ? ':' : ''}${Number(each).toString(16).padStart(2, '0')}`)
    .join('')
const asksServer = (name: string, bytes: (scene: Scene) => string): Attempt =>
  sends(`the server's other paths ${name}`, (s) => s.serverPort, bytes)
const proxied = '-x http://127.0.0.1:3128 --noproxy ""'
const gitFolder = (s: Scene): string => join(s.repository, '.git')
const ownGit = (s: Scene): string => join(gitFolder(s), 'worktrees/a')
const refOf = (s: Scene, name: string): string => s.git(s.repository, 'rev-parse', name)

/** Each in a repository of its own state: later ones do not depend on earlier ones. */
export const attempts: readonly Attempt[] = [
  reads('the ssh key', (s) => `${s.home}/.ssh/id_rsa`),
  reads('.netrc', (s) => `${s.home}/.netrc`),
  reads('cloud credentials', (s) => `${s.home}/.aws/credentials`),
  reads('the login of another tool', (s) => `${s.home}/.config/gh/hosts.yml`),
  reads("another agent's settings", (s) => `${s.home}/.gemini/settings.json`),
  reads('.bashrc', (s) => `${s.home}/.bashrc`),
  reads("the owner's token", (s) => `${s.data}/secrets/owner-token`),
  reads('the database', (s) => `${s.data}/holdfast.db`),
  reads('another worktree', (s) => `${s.otherWorktree}/notes.txt`),
  reads('another worktree by a way up', () => '../b/notes.txt'),
  reads('a file elsewhere', (s) => `${s.root}/elsewhere/file`),
  reads(
    "another server's data folder in its workplace",
    (s) => `${s.worktree}/.holdfast/secrets/owner-token`,
  ),
  reads("another server's data folder, deeper", (s) => `${s.worktree}/servers/one/holdfast.db`),
  {
    name: 'the folder around the program',
    script: () => `test -e ${programFolder}/CHANGELOG.md && echo ESCAPED`,
    control: true,
  },
  {
    name: 'descriptors that the coordinator inherited',
    script: () =>
      'for n in 3 4 5 6 7 8 9 40 200; do timeout 2 cat /proc/$$/fd/$n 2>/dev/null; done; true',
    // Opened by what starts this in a process of its own.
    control: true,
  },
  {
    name: 'read by a link',
    script: (s) => `ln -s ${s.home}/.ssh/id_rsa ./link; cat ./link`,
    control: true,
  },
  {
    name: 'read by the root of the host process',
    script: (s) => `cat /proc/${s.hostPid}/root${s.home}/.netrc`,
    control: true,
  },
  {
    name: 'read by any root',
    script: (s) => `cat /proc/[0-9]*/root${s.home}/.netrc 2>/dev/null`,
    control: true,
  },
  {
    name: 'read by any working folder',
    script: () => 'cat /proc/[0-9]*/cwd/../../b/notes.txt 2>/dev/null',
    control: false,
  },
  {
    // The links are looked at, never opened: without a sandbox they are pipes of others.
    name: 'a descriptor that leads out',
    script: (s) =>
      `ls -l /proc/[0-9]*/fd 2>/dev/null | grep -E "${s.data}/(secrets|holdfast)|${s.home}" && echo ESCAPED; true`,
    onlyInside: true,
  },
  {
    name: 'find the key anywhere',
    script: (s) =>
      `grep -rsl ${s.secret.slice(0, 12)} ${s.root} | grep -v worktrees/p/u/a && echo ESCAPED`,
    control: true,
  },
  {
    name: 'the environment of the host process',
    script: (s) => `tr "\\0" "\\n" < /proc/${s.hostPid}/environ`,
    control: true,
  },
  {
    name: 'a planted key in any environment',
    script: () => 'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"',
    control: true,
  },
  {
    name: 'a planted key in any command line',
    script: () => 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"',
  },
  {
    name: 'the plan of the sandbox',
    script: (s) =>
      `tr "\\0" "\\n" < /proc/1/cmdline | grep -ax -- --ro-bind && echo ESCAPED; grep -a ${s.secret.slice(0, 12)} /proc/1/environ`,
  },
  {
    name: 'open the memory of process 1',
    script: () => 'strings -n 20 /proc/1/maps 2>/dev/null | grep -a secret-; true',
    onlyInside: true,
  },
  {
    name: 'see the host process',
    script: (s) => `kill -0 ${s.hostPid} && grep -q sleep /proc/${s.hostPid}/comm && echo ESCAPED`,
    control: true,
  },
  {
    name: 'see processes of others',
    script: () => '[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 40 ] && echo ESCAPED',
  },
  calls(
    'trace the host process',
    'exit 0 if !-d "/proc/$ENV{NOBODY}"; print "ESCAPED" if syscall(101, 16, int($ENV{NOBODY} || 1), 0, 0) == 0 && int($ENV{NOBODY})',
  ),
  writes('home', (s) => `${s.home}/written`),
  writes('.bashrc', (s) => `${s.home}/.bashrc`),
  writes('the data folder', (s) => `${s.data}/written`),
  writes('another worktree', (s) => `${s.otherWorktree}/written`),
  writes('a folder elsewhere', (s) => `${s.root}/elsewhere/written`),
  writes('beside its workplace', (s) => `${s.worktree}/../written`),
  {
    name: 'move another branch',
    script: () => 'git update-ref refs/heads/holdfast/u/b $(git commit-tree -m x HEAD^{tree})',
    after: (s) => refOf(s, 'holdfast/u/b') !== refOf(s, 'main'),
    control: true,
  },
  {
    name: 'make a tag',
    script: () => 'git tag escaped',
    after: (s) => s.git(s.repository, 'tag').includes('escaped'),
    control: true,
  },
  {
    name: 'replace a commit',
    script: () => 'git replace -f HEAD $(git commit-tree -m other HEAD^{tree})',
    after: (s) => existsSync(`${gitFolder(s)}/refs/replace`),
    control: true,
  },
  {
    name: 'set a hook by git itself',
    script: () => 'git config core.hooksPath /tmp/evil',
    after: (s) => (textAt(`${gitFolder(s)}/config`) ?? '').includes('evil'),
    control: true,
  },
  {
    name: 'make another worktree',
    script: (s) => `git worktree add -q ${s.root}/escaped`,
    after: (s) => existsSync(`${s.root}/escaped`),
    control: true,
  },
  writes('a hook', (s) => `${gitFolder(s)}/hooks/post-checkout`),
  writes('the repository configuration', (s) => `${gitFolder(s)}/config.new`),
  writes('attributes of the repository', (s) => `${gitFolder(s)}/info/attributes`),
  writes('configuration of its worktree', (s) => `${ownGit(s)}/config.worktree`),
  writes('commondir', (s) => `${ownGit(s)}/commondir`),
  { ...writes('its .git file', (s) => `${s.worktree}/.git`), control: false },
  {
    name: 'rename over its .git file',
    script: () => 'echo ESCAPE-WRITTEN > g; mv -f g .git',
    after: (s) => (textAt(`${s.worktree}/.git`) ?? '').includes('ESCAPE'),
  },
  {
    name: 'delete its .git file',
    script: () => 'rm -f .git',
    after: (s) => !existsSync(`${s.worktree}/.git`),
    control: true,
  },
  {
    name: 'HEAD of its worktree to main',
    script: (s) => `echo "ref: refs/heads/main" > ${ownGit(s)}/HEAD`,
    after: (s) => textAt(`${ownGit(s)}/HEAD`)?.includes('heads/main') === true,
    control: true,
  },
  {
    name: 'its index a link to a file of home',
    script: (s) => `rm -f ${ownGit(s)}/index; ln -s ${s.home}/.bashrc ${ownGit(s)}/index`,
    after: (s) =>
      existsSync(`${ownGit(s)}/index`) && lstatSync(`${ownGit(s)}/index`).isSymbolicLink(),
    control: true,
  },
  {
    name: 'its branch a link to a file of home',
    script: (s) =>
      `rm -f ${gitFolder(s)}/refs/heads/holdfast/u/a; ln -s ${s.home}/.netrc ${gitFolder(s)}/refs/heads/holdfast/u/a`,
    after: (s) =>
      existsSync(`${gitFolder(s)}/refs/heads/holdfast/u/a`) &&
      lstatSync(`${gitFolder(s)}/refs/heads/holdfast/u/a`).isSymbolicLink(),
    control: true,
  },
  {
    name: 'move main',
    script: (s) =>
      `echo 1111111111111111111111111111111111111111 > ${gitFolder(s)}/refs/heads/main`,
    after: (s) => textAt(`${gitFolder(s)}/refs/heads/main`)?.startsWith('1111') === true,
    control: true,
  },
  {
    name: 'delete the objects',
    script: (s) => `rm -rf ${gitFolder(s)}/objects/??`,
    after: (s) => readdirSync(`${gitFolder(s)}/objects`).length <= 2,
  },
  {
    name: 'its alternates to other objects',
    script: (s) => `echo ${s.root}/elsewhere > ${gitFolder(s)}/objects/info/alternates`,
    after: (s) => existsSync(`${gitFolder(s)}/objects/info/alternates`),
    control: true,
  },
  {
    name: 'an object that is a link',
    script: (s) =>
      `mkdir -p ${gitFolder(s)}/objects/ff; ln -s ${s.home}/.netrc ${gitFolder(s)}/objects/ff/00000000000000000000000000000000000000`,
    // A commit of the agent's may be in the same folder.
    after: (s) => existsSync(`${gitFolder(s)}/objects/ff/00000000000000000000000000000000000000`),
    control: true,
  },
  fetches("the server's other paths", (s) => `http://127.0.0.1:${s.serverPort}/api/agents`),
  fetches(
    "the server's other paths by the proxy",
    (s) => `http://127.0.0.1:${s.serverPort}/api/agents`,
    proxied,
  ),
  fetches(
    "the server's other paths by a tunnel",
    (s) => `http://127.0.0.1:${s.serverPort}/api/agents`,
    `${proxied} -p`,
  ),
  fetches(
    "the server's other paths by dots",
    (s) => `http://127.0.0.1:${s.serverPort}/mcp/../api/agents`,
    '--path-as-is',
  ),
  fetches('another port of the host', (s) => `http://127.0.0.1:${s.otherPort}/`),
  fetches('another port by the proxy', (s) => `http://127.0.0.1:${s.otherPort}/`, proxied),
  fetches('another port by a tunnel', (s) => `http://127.0.0.1:${s.otherPort}/`, `${proxied} -p`),
  fetches(
    'another port by socks',
    (s) => `http://127.0.0.1:${s.otherPort}/`,
    '--noproxy "" -x socks5h://127.0.0.1:3128',
  ),
  fetches('another port as localhost', (s) => `http://localhost:${s.otherPort}/`, proxied),
  fetches('another port as a short number', (s) => `http://2130706433:${s.otherPort}/`, proxied),
  fetches(
    'another port by a mapped address',
    (s) => `http://[::ffff:127.0.0.1]:${s.otherPort}/`,
    proxied,
  ),
  fetches('another port by no address', (s) => `http://0.0.0.0:${s.otherPort}/`, proxied),
  fetches('a port on its outer address', (s) => `http://${s.lanAddress}:${s.otherPort}/`),
  fetches(
    'a port on its outer address by the proxy',
    (s) => `http://${s.lanAddress}:${s.otherPort}/`,
    proxied,
  ),
  ...[
    '127.1',
    '0x7f.1',
    '017700000001',
    '127.0.0.1.',
    'x.localhost',
    '[::ffff:7f00:1]',
    '[::]',
    hostname(),
  ].map(tunnels),
  tunnels((s) => `[::ffff:${hexOf(s.lanAddress)}]`),
  tunnels((s) => `[0:0:0:0:0:ffff:${s.lanAddress}]`),
  fetches(
    'another port by the proxy, mapped',
    (s) => `http://[::ffff:${hexOf(s.lanAddress)}]:${s.otherPort}/`,
    proxied,
  ),
  sends(
    'another port by the name in socks',
    () => 3128,
    (s) => `"\\5\\1\\0\\5\\1\\0\\3\\x09localhost" . pack("n", ${s.otherPort}) . "${get('/')}"`,
  ),
  sends(
    'another port by a mapped address in socks',
    () => 3128,
    (s) => {
      const mapped = `("\\0" x 10) . "\\xff\\xff" . pack("C4n", ${s.lanAddress.replaceAll('.', ', ')}, ${s.otherPort})`
      return `"\\5\\1\\0\\5\\1\\0\\4" . ${mapped} . "${get('/')}"`
    },
  ),
  ...[
    '/mcp/%2e%2e/api/agents',
    '/mcp\\\\..\\\\api',
    '//127.0.0.1/api',
    '/mcp/..;/../api',
    '/mcp@x/../../api',
  ].map((path) => asksServer(`as ${path}`, () => `"${get(path)}"`)),
  asksServer(
    'as a whole address',
    (s) => `"${get(`http://127.0.0.1:${s.serverPort}/api/agents`)}"`,
  ),
  asksServer(
    'on a connection that is kept',
    () => `"GET /mcp HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n${get('/api/agents')}"`,
  ),
  asksServer(
    'in the body of another',
    () =>
      `"POST /mcp HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n${get('/api/agents')}"`,
  ),
  reads('shared memory', (s) => s.sharedFile),
  {
    name: 'bridges of others',
    script: () => 'ls -d /tmp/hf-bridge-* 2>/dev/null && echo ESCAPED; true',
  },
  fetches('a socket of the desktop', () => 'http://x/', '--unix-socket "$SSH_AUTH_SOCK"'),
  {
    name: 'a socket file',
    script: (s) => `curl -s -m 3 --http0.9 --unix-socket ${s.socket} http://x/`,
    control: true,
  },
  {
    name: 'an abstract socket',
    script: (s) => `curl -s -m 3 --http0.9 --abstract-unix-socket ${s.abstractSocket} http://x/`,
    control: true,
  },
  {
    name: 'sockets of containers and the desktop',
    script: () =>
      'ls /var/run/docker.sock /run/user/*/bus /run/dbus/system_bus_socket /tmp/.X11-unix 2>/dev/null && echo ESCAPED; true',
  },
  {
    name: 'the socket of the bridge with another port',
    script: (s) =>
      `perl -MIO::Socket::UNIX -e '$s=IO::Socket::UNIX->new("/run/holdfast/bridge") or exit; print $s "${s.otherPort}\\nGET / HTTP/1.0\\r\\n\\r\\n"; print <$s>'`,
  },
  calls('the session keyring', 'print "ESCAPED" if syscall(250, 0, -3, 1) >= 0'),
  calls(
    'a key of the user',
    'print "ESCAPED" if syscall(248, my $t = "user", my $d = "hf-test", my $p = "x", 1, -4) >= 0',
  ),
  { name: 'the list of keys', script: () => 'grep -q keyring /proc/keys && echo ESCAPED; true' },
  calls('a socket of the virtual machine', 'print "ESCAPED" if syscall(41, 40, 1, 0) >= 0'),
  calls(
    'a program for the kernel',
    '$b = "\\0" x 128; print "ESCAPED" if syscall(321, 0, $b, 128) >= 0',
  ),
  calls('a ring of io_uring', '$b = "\\0" x 128; print "ESCAPED" if syscall(425, 1, $b) >= 0'),
  calls('handle the faults of pages', 'print "ESCAPED" if syscall(323, 1) >= 0'),
  calls(
    'the log of the kernel',
    '$b = "\\0" x 4096; print "ESCAPED" if syscall(103, 3, $b, 4096) >= 0',
  ),
  calls(
    'a handle of the host process',
    'print "ESCAPED" if syscall(434, int($ENV{NOBODY}), 0) >= 0',
  ),
  // Not a terminal, instead of refused.
  calls(
    'type into a terminal',
    'print "ESCAPED" if syscall(16, 0, 0x5412, my $c = "x") < 0 && $! == 25',
  ),
  {
    name: 'rights by a program',
    script: () => 'grep -q "NoNewPrivs:.*0" /proc/self/status && echo ESCAPED; true',
    control: true,
  },
  calls('a user namespace', 'print "ESCAPED" if syscall(272, 0x10000000) == 0'),
  calls('a user namespace with mounts', 'print "ESCAPED" if syscall(272, 0x10020000) == 0'),
  {
    onlyInside: true,
    name: 'a mount',
    script: () => 'mount -t tmpfs none /tmp 2>/dev/null && echo ESCAPED; true',
  },
  {
    onlyInside: true,
    name: 'undo a mount',
    script: () => 'umount -l "$HOME" 2>/dev/null && echo ESCAPED; true',
  },
  {
    onlyInside: true,
    name: 'make its root writable',
    script: () =>
      'mount -o remount,rw / 2>/dev/null && echo ESCAPED; touch /escaped 2>/dev/null && echo ESCAPED; true',
  },
  {
    onlyInside: true,
    name: 'a device of the disk',
    script: () =>
      'mknod /tmp/disk b 8 0 2>/dev/null && head -c 1 /tmp/disk >/dev/null 2>&1 && echo ESCAPED; ls /dev/sd* /dev/vd* /dev/nvme* 2>/dev/null | grep -q . && echo ESCAPED; true',
  },
  {
    name: 'leave by chroot',
    script: () => 'perl -e \'mkdir "/tmp/c"; print "ESCAPED" if chroot("/tmp/c")\'',
  },
  ...[
    'kernel/core_pattern',
    'kernel/modprobe',
    'vm/drop_caches',
    'kernel/hostname',
    'fs/binfmt_misc/register',
  ].map((name) => kernel(`/proc/sys/${name}`)),
  kernel('/proc/sysrq-trigger'),
  {
    name: 'change anything of /proc',
    // What is hidden is a device.
    script: () =>
      'for f in $(find /proc -maxdepth 3 -path "/proc/[0-9]*" -prune -o -path "/proc/*self" -prune -o -type f -writable -print 2>/dev/null); do [ -c "$f" ] || echo ESCAPED; done',
  },
  {
    name: 'private keys of the system',
    script: () =>
      'find /etc/ssl/private /etc/pki/*/private -type f 2>/dev/null | grep -q . && echo ESCAPED; true',
  },
  {
    name: 'change anything of /sys',
    script: () =>
      'find /sys -maxdepth 3 -writable -type f 2>/dev/null | grep -q . && echo ESCAPED; true',
  },
  {
    onlyInside: true,
    name: 'the name of the host',
    script: () => 'hostname escaped 2>/dev/null && echo ESCAPED; true',
  },
  writes('grafts', (s) => `${gitFolder(s)}/info/grafts`),
  {
    name: 'forget another worktree',
    script: (s) => `rm -rf ${gitFolder(s)}/worktrees/b`,
    after: (s) => !existsSync(`${gitFolder(s)}/worktrees/b/HEAD`),
    control: true,
  },
  writes('where its worktree is', (s) => `${ownGit(s)}/gitdir`),
  {
    onlyInside: true,
    name: 'pipes instead of its branch, its index and HEAD, which nobody must wait for',
    script: (s) =>
      `for f in ${gitFolder(s)}/refs/heads/holdfast/u/a ${ownGit(s)}/index ${ownGit(s)}/HEAD; do rm -f $f; mkfifo $f; done`,
    after: (s) => !lstatSync(`${ownGit(s)}/index`).isFile(),
  },
  {
    name: 'outlive its end',
    script: (s) =>
      `(setsid sh -c 'trap "" TERM HUP; sleep 3; echo ESCAPE-WRITTEN > ${s.worktree}/outlived' >/dev/null 2>&1 &)`,
    after: (s) => existsSync(`${s.worktree}/outlived`),
  },
]

/** In the workplace, where every mode can write. */
const resultFile = (scene: Scene): string => `${scene.worktree}/attempts.out`

/** Those that can be tried without a sandbox. */
export const harmlessOutside = attempts.filter(({ onlyInside }) => !onlyInside)

/** One script with all of them, each under its number. */
export const scriptOf = (scene: Scene, chosen: readonly Attempt[]): string =>
  [
    // The output of agents is cut and masked; that of the attempts is not.
    `exec > ${resultFile(scene)} 2>&1`,
    `export NOBODY=${scene.hostPid}`,
    ...chosen.map(
      ({ script }, index) => `printf '\\n@@%s\\n' ${index}; ( ${script(scene)} ) </dev/null 2>&1`,
    ),
    "printf '\\n@@end\\n'",
  ].join('\n')

/** The names of those that got out. */
export function escapedIn(scene: Scene, chosen: readonly Attempt[]): string[] {
  const output = textAt(resultFile(scene)) ?? ''
  const parts = output.split(/\n?@@(\d+|end)\n/)
  if (!parts.includes('end'))
    throw new Error(`The attempts did not come to their end:\n${output.slice(-2000)}`)
  const said = new Map(
    Array.from({ length: (parts.length - 1) / 2 }, (_, at) => [
      parts[at * 2 + 1],
      parts[at * 2 + 2] ?? '',
    ]),
  )
  return chosen
    .filter(({ after }, index) => {
      const text = said.get(String(index)) ?? ''
      return text.includes(scene.secret) || /^ESCAPED$/m.test(text) || after?.(scene) === true
    })
    .map(({ name }) => name)
}
