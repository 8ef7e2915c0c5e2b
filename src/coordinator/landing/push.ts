/**
 * Pushes a branch (LD7): git runs in a directory of ours and is given the address in full. What the
 * configuration says of remotes, proxies, helpers and ssh is not read by it.
 */
import type { StepAnswer, StepOf } from '../../protocol/review/landing-requests.ts'
import type { Git } from '../worktrees/git.ts'
import type { Repository } from '../worktrees/repository.ts'
import { openPathRemote } from './path-remote.ts'
import { transportOf } from './remote.ts'

export interface Credential {
  readonly username: string
  readonly password: string
  /** Instead of an ssh address, where the host has a token. */
  readonly address?: string | undefined
}

const pushMs = 300_000

/**
 * The credential comes through a pipe, and is in no argument, variable or file. It is for this host
 * alone: a proxy that asks for one gets none.
 */
const fromPipe = (address: string): Record<string, string> => ({
  [`credential.${URL.parse(address)?.origin}.helper`]: '!f() { test "$1" = get && cat <&3; }; f',
})

export async function push(
  repository: Repository,
  step: StepOf<'push'>,
  credential: Credential | null,
): Promise<StepAnswer> {
  const address = credential?.address ?? step.address
  const transport = transportOf(address)
  if (transport === undefined) return refused('no_remote', address)
  const ref = `refs/heads/${step.remoteBranch}`
  const to =
    transport === 'file'
      ? await openPathRemote(repository.git, address, ref)
      : { address, options: [] }
  const args = [
    ...['push', '--porcelain', '--no-verify', '--recurse-submodules=no', '--no-follow-tags'],
    ...to.options,
    ...[to.address, `${step.new}:${ref}`],
  ]
  const { code, stdout, stderr } = await repository.try(args, {
    timeoutMs: pushMs,
    env: {
      GIT_ALLOW_PROTOCOL: transport,
      ...(transport === 'ssh' && sshOf(repository.git)),
      ...(transport.startsWith('http') && networkOf(repository.git)),
    },
    config: {
      'http.followRedirects': 'false',
      ...(credential && fromPipe(address)),
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

/** How this machine reaches hosts, as the coordinator's environment says. */
const networkVariables = [
  ...['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'],
  ...['no_proxy', 'NO_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH'],
]

const networkOf = (git: Git): Record<string, string | undefined> =>
  Object.fromEntries(networkVariables.map((name) => [name, git.variable(name)]))

/** The ssh of this machine: it asks nobody, and knows its hosts. */
const sshOf = (git: Git): Record<string, string | undefined> => ({
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes',
  GIT_SSH_VARIANT: 'ssh',
  SSH_AUTH_SOCK: git.variable('SSH_AUTH_SOCK'),
})
