/**
 * A bare repository behind smart HTTP on this machine, with Basic sign-in, and beside it the API of
 * GitHub as far as landing asks it: with state, faults by script, and a note of every request.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Pull {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly title: string
}

export async function serveRepository(folder: string, token: string) {
  const exec = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim()
  const requests: string[] = []
  const pulls: Pull[] = []
  /**
   * The next answers of the API instead of its own: a status, or a lost answer after it was done.
   */
  const faults: (number | 'lost')[] = []
  let elsewhere: string | undefined
  /** What happens when a pull request is asked for, or made and not yet answered. */
  let beforeAnswer: { readonly when: 'asked' | 'made'; readonly act: () => void } | undefined
  let hasAnswered = false
  const meet = (when: 'asked' | 'made'): void => {
    if (beforeAnswer?.when !== when) return
    beforeAnswer.act()
    beforeAnswer = undefined
    hasAnswered = true
  }

  const isSignedIn = ({ headers }: IncomingMessage): boolean => {
    const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
    return (
      headers.authorization === `Bearer ${token}` ||
      Buffer.from(basic, 'base64').toString() === `x-access-token:${token}`
    )
  }
  const json = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
  const api = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    let text = ''
    for await (const piece of request) text += piece
    const fault = faults.shift()
    if (typeof fault === 'number')
      return json(
        response,
        fault,
        { message: 'fault' },
        fault === 429 ? { 'retry-after': '0' } : {},
      )
    if (url.pathname === '/api/v3/user') return json(response, 200, { login: 'ada' })
    const shown = (pull: Pull) => ({
      ...pull,
      html_url: `http://pulls/${pull.number}`,
      state: 'open',
    })
    if (request.method === 'GET') {
      const head = url.searchParams.get('head')?.split(':')[1]
      return json(response, 200, pulls.filter((pull) => pull.head === head).map(shown))
    }
    meet('asked')
    const { head, base, title } = JSON.parse(text)
    if (pulls.some((pull) => pull.head === head))
      return json(response, 422, { message: 'A pull request already exists' })
    const pull = { number: pulls.length + 1, head, base, title }
    pulls.push(pull)
    meet('made')
    if (fault === 'lost') return json(response, 502, { message: 'lost' })
    return json(response, 201, shown(pull))
  }
  const git = (request: IncomingMessage, response: ServerResponse, url: URL): void => {
    const child = spawn(`${exec}/git-http-backend`, {
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'ada',
        PATH_INFO: url.pathname.replace(/^\/shop\/web\.git/, ''),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? '',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        ...(request.headers['content-encoding'] && {
          HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        }),
      },
    })
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => chunks.push(bytes))
    child.on('close', () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf('\r\n\r\n')
      const headers = all.toString('utf8', 0, end).split('\r\n')
      const status = headers.find((line) => line.startsWith('Status:'))?.slice(8, 11)
      for (const line of headers) {
        const [name = '', value = ''] = line.split(': ')
        if (name !== 'Status') response.setHeader(name, value)
      }
      response.writeHead(Number(status ?? 200)).end(all.subarray(end + 4))
    })
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://here')
    requests.push(`${request.method} ${url.pathname}`)
    if (elsewhere !== undefined)
      return response.writeHead(302, { location: `${elsewhere}${request.url}` }).end()
    if (!isSignedIn(request))
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end()
    if (url.pathname.startsWith('/api/v3/')) return void api(request, response, url)
    git(request, response, url)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    host,
    address: `http://${host}/shop/web.git`,
    requests,
    pulls,
    faults,
    beforeAnswer: (when?: 'asked' | 'made', act: () => void = () => {}): void => {
      beforeAnswer = when && { when, act }
      hasAnswered = false
    },
    hasAnswered: (): boolean => hasAnswered,
    redirectTo: (url: string) => {
      elsewhere = url
    },
  }
}
