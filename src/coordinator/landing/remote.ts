/**
 * The remote that work is pushed to (LD7): its address, read from the repository's configuration as
 * data, and what kind of address it is.
 */
import type { Settings } from '../worktrees/git-settings.ts'

export interface Remote {
  readonly name: string
  readonly address: string
}

/** `origin`, or the only one there is. */
export function remoteOf(settings: Settings): Remote | undefined {
  const remotes = [...settings].flatMap(([key, address]) => {
    const [, name] = /^remote\.(.+)\.url$/.exec(key) ?? []
    return name === undefined ? [] : [{ name, address: withoutPassword(address) }]
  })
  return (
    remotes.find(({ name }) => name === 'origin') ?? (remotes.length === 1 ? remotes[0] : undefined)
  )
}

/** What somebody has put into an address to sign in with is shown to nobody, and not used. */
function withoutPassword(address: string): string {
  const [, scheme = '', rest = ''] = /^(https?:\/\/)[^/@]*@(.*)$/s.exec(address) ?? []
  return scheme === '' ? address : `${scheme}${rest}`
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
