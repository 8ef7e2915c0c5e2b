/**
 * Probes whether this machine can run a process in a sandbox (SB2): bubblewrap on Linux,
 * `sandbox-exec` on macOS. It is tried, not only looked for, because user namespaces may be refused
 * by the system.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { SandboxProbe } from '../../protocol/agents/sandbox-probe.ts'

export type SandboxAbility = Readonly<SandboxProbe['machine']>

const probeMs = 10_000
const run = promisify(execFile)
const none: SandboxAbility = {
  tool: null,
  version: null,
  userNamespaces: null,
  works: false,
  problem: null,
  install: null,
}

type Variables = Readonly<Record<string, string | undefined>>

export async function probeSandbox(
  env: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<SandboxAbility> {
  if (platform === 'darwin') return probeMac(env)
  if (platform !== 'linux') return { ...none, problem: 'there is no sandbox for this system' }
  const options = { env: { PATH: env['PATH'] ?? '/usr/bin:/bin' }, timeout: probeMs }
  const found: SandboxAbility = {
    ...none,
    tool: 'bubblewrap',
    userNamespaces: await namespacesAllowed(),
  }
  try {
    const version = (await run('bwrap', ['--version'], options)).stdout
      .trim()
      .replace(/^bubblewrap /, '')
    try {
      const spaces = ['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc']
      await run(
        'bwrap',
        [...spaces, '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--', '/bin/true'],
        options,
      )
      return { ...found, version, userNamespaces: true, works: true }
    } catch (error) {
      return { ...found, version, problem: lastLine(error) }
    }
  } catch {
    return { ...found, problem: 'bubblewrap is not installed', install: await installCommand() }
  }
}

async function probeMac(env: Variables): Promise<SandboxAbility> {
  const found = { ...none, tool: 'sandbox-exec' } as const
  try {
    await run('sandbox-exec', ['-p', '(version 1)(allow default)', '/usr/bin/true'], {
      env: { ...env },
      timeout: probeMs,
    })
    return { ...found, version: 'of the system', works: true }
  } catch (error) {
    return { ...found, problem: lastLine(error) }
  }
}

async function namespacesAllowed(): Promise<boolean | null> {
  const read = (name: string): Promise<string> =>
    readFile(`/proc/sys/${name}`, 'utf8').catch(() => '')
  const [most, debian] = await Promise.all([
    read('user/max_user_namespaces'),
    read('kernel/unprivileged_userns_clone'),
  ])
  return most === '' ? null : Number(most) > 0 && debian.trim() !== '0'
}

/** By the system's own name. */
async function installCommand(): Promise<string> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  const like = /^ID(?:_LIKE)?=(.*)$/gm
  const names = [...system.matchAll(like)].map(([, name]) => name).join(' ')
  if (/fedora|rhel|centos/.test(names)) return 'sudo dnf install bubblewrap'
  if (/arch/.test(names)) return 'sudo pacman -S bubblewrap'
  if (/alpine/.test(names)) return 'sudo apk add bubblewrap'
  if (/suse/.test(names)) return 'sudo zypper install bubblewrap'
  return 'sudo apt-get install bubblewrap'
}

const lastLine = (error: unknown): string =>
  String((error as { stderr?: string }).stderr || error)
    .trim()
    .split('\n')
    .at(-1) ?? ''
