/**
 * The remote that work is pushed to (LD7): its address is read from the repository's configuration
 * as data, and git is given it in full, in a directory of ours. What else the configuration says of
 * remotes, proxies, helpers and ssh is not read by any git that pushes.
 */
import type { StepAnswer, StepOf } from '../../protocol/review/landing-requests.ts'
import type { Git } from '../worktrees/git.ts'
import type { Settings } from '../worktrees/git-settings.ts'
import type { Repository } from '../worktrees/repository.ts'

export interface Remote {
  readonly name: string
  readonly address: string
}

/** `origin`, or the only one there is. */
export function remoteOf(settings: Settings): Remote | undefined {
  const remotes = [...settings].flatMap(([key, address]) => {
    const [, name] = /^remote\.(.+)\.url$/.exec(key) ?? []
    return name === undefined ? [] : [{ name, address }]
  })
  return (
    remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined)
  )
}

type Transport = 'https' | 'http' | 'ssh' | 'file'

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Undefined: an address that could run, read or leak something. */
export function transportOf(address: string): Transport | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (address.startsWith('-') || /[\u0000-\u0020\u007f]/.test(address)) return undefined
  if (address.startsWith('/')) return 'file'
  if (/^[\w.-]+@[\w.-]+:[^:]/.test(address)) return 'ssh'
  const url = URL.parse(address)
  if (url?.password !== '') return undefined
  if (url.protocol === 'https:') return 'https'
  if (url.protocol === 'ssh:') return 'ssh'
  return url.protocol === 'http:' && loopback.has(url.hostname) ? 'http' : undefined
}

/** `owner/name` of a repository at a host. */
export function repositoryAt(address: string): string | undefined {
  const [, after] = /^[\w.-]+@[\w.-]+:(.+)$/.exec(address) ?? []
  const path = after ?? URL.parse(address)?.pathname
  return path?.replace(/^\/+/, '').replace(/\.git\/?$/, '')
}

export interface Credential {
  readonly username: string
  readonly password: string
  /** Instead of an ssh address, where the host has a token. */
  readonly address?: string | undefined
}

/** What the repository that is pushed to must not run either. */
const receivePack =
  'git -c core.hooksPath=/dev/null -c core.alternateRefsCommand=true -c receive.autogc=false ' +
  '-c core.fsmonitor=false receive-pack'
const pushMs = 300_000

/** The credential comes through a pipe, and is in no argument, variable or file. */
const fromPipe = '!f() { test "$1" = get && cat <&3; }; f'

export async function push(
  repository: Repository,
  step: StepOf<'push'>,
  credential: Credential | null,
): Promise<StepAnswer> {
  const address = credential?.address ?? step.address
  const transport = transportOf(address)
  if (transport === undefined) return refused('no_remote', address)
  const args = [
    ...['push', '--porcelain', '--no-verify', '--recurse-submodules=no', '--no-follow-tags'],
    ...(transport === 'file' ? [`--receive-pack=${receivePack}`] : []),
    ...[address, `${step.new}:refs/heads/${step.remoteBranch}`],
  ]
  const { code, stdout, stderr } = await repository.try(args, {
    timeoutMs: pushMs,
    env: {
      GIT_ALLOW_PROTOCOL: transport,
      ...(transport === 'ssh' && sshOf(repository.git)),
    },
    config: {
      'http.followRedirects': 'false',
      ...(credential && { 'credential.helper': fromPipe }),
    },
    ...(credential && {
      pipe: `username=${credential.username}\npassword=${credential.password}\n`,
    }),
  })
  if (code === 0) return { outcome: 'done' }
  const why = `${stdout}\n${stderr}`.replaceAll(credential?.password || '\u0000', '***').trim()
  if (/protected branch|pre-receive hook declined|GH006/i.test(why))
    return refused('branch_protected', why)
  if (/\[rejected\]|non-fast-forward|fetch first|stale info/.test(why))
    return refused('remote_moved', step.remoteBranch)
  return refused('push_refused', why.slice(0, 2000))
}

const refused = (
  code: Extract<StepAnswer, { outcome: 'refused' }>['code'],
  why: string,
): StepAnswer => ({ outcome: 'refused', code, why })

/** The ssh of this machine: it asks nobody, and knows its hosts. */
const sshOf = (git: Git): Record<string, string | undefined> => ({
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes',
  GIT_SSH_VARIANT: 'ssh',
  SSH_AUTH_SOCK: git.variable('SSH_AUTH_SOCK'),
})
