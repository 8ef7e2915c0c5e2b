/** The page's files: only those of the build, whatever is asked for (SE5, SE6). */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { HttpListener } from '../../../src/server/http/http-listener.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/store.ts'

async function buildPage(): Promise<string> {
  const folder = await temporaryFolder()
  const page = join(folder, 'page')
  await mkdir(join(page, 'assets'), { recursive: true })
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await writeFile(join(page, 'index.html'), '<!doctype html><title>Holdfast</title>')
  await writeFile(join(page, 'assets', 'app-1a2b.js'), 'console.log(1)')
  await writeFile(join(page, 'assets', 'app-1a2b.js.gz'), gzipSync('console.log(1)'))
  await symlink(join(folder, 'secret.txt'), join(page, 'link.txt'))
  return page
}

test('[UI1] the page is served without a credential, its named assets for ever, the rest checked each time', async () => {
  const server = await openTestServer({ pageFolder: await buildPage() })
  const ask = (path: string, headers: Record<string, string> = {}) =>
    server.ask(path, { token: null, headers })
  const index = await ask('/')
  expect([index.status, index.headers['content-type'], index.headers['cache-control']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ])
  const script = await ask('/assets/app-1a2b.js')
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  })
  expect(script.text).toBe('console.log(1)')
  const again = await ask('/', { 'if-none-match': String(index.headers.etag) })
  expect([again.status, again.text]).toEqual([304, ''])
  const packed = await ask('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' })
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
  expect(
    (await ask('/assets/app-1a2b.js', { 'accept-encoding': 'gzip;q=0' })).headers[
      'content-encoding'
    ],
  ).toBeUndefined()
  const head = await server.ask('/', { method: 'HEAD', token: null })
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '38'])
})

test('[UI1] a deep link that a browser opens gets the page; a missing file is missing', async () => {
  const server = await openTestServer({ pageFolder: await buildPage() })
  const ask = (path: string, accept: string) =>
    server.ask(path, { token: null, headers: { accept } })
  expect((await ask('/projects/proj_1', 'text/html,*/*')).text).toContain('<title>Holdfast</title>')
  expect((await ask('/assets/gone.js', '*/*')).json.code).toBe('not_found')
  expect((await ask('/api/gone', 'text/html')).status).toBe(401)
})

test('[SE5] no path leads out of the folder, and links in it are not followed', async () => {
  const server = await openTestServer({ pageFolder: await buildPage() })
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/..\\secret.txt',
    '//etc/passwd',
    '/etc/passwd',
    '/link.txt',
    '/index.html%00.txt',
    '/assets',
    '/assets/',
    '/__proto__',
    '/constructor',
    '/CON',
    '/\\\\server\\share',
    `/${'a'.repeat(5000)}`,
  ]) {
    const answer = await server.raw(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer, path).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(answer, path).not.toMatch(/secret\r?\n?$|root:/)
  }
})

test('[SP1] while the doors behind it are still being opened the page is given, and whoever wants more waits', async () => {
  const logger = createLogger({ level: 'silent', format: 'json' })
  const listen = { host: '127.0.0.1', port: 0 }
  const listener = new HttpListener({
    logger,
    listen,
    publicUrl: null,
    behindProxy: false,
    version: '0',
    pageFolder: await buildPage(),
  })
  await listener.listen()
  onTestFinished(() => {
    listener.server.closeAllConnections()
    return listener.close()
  })
  const index = await fetch(`${listener.url}/projects/proj_1`, { headers: { accept: 'text/html' } })
  expect([index.status, index.headers.get('content-security-policy')]).toEqual([
    200,
    expect.any(String),
  ])
  expect(await index.text()).toContain('<title>Holdfast</title>')
  // A WebSocket is not kept hanging: it is cut, and comes again.
  const early = new WebSocket(`${listener.url.replace('http', 'ws')}/ws`)
  early.on('error', () => {})
  await new Promise((resolve) => early.once('close', resolve))
  const waiting = fetch(`${listener.url}/api/projects`)
  const missing = fetch(`${listener.url}/gone.js`)
  listener.handOver((request, response) => void response.writeHead(418).end(request.url))
  expect([await (await waiting).text(), await (await missing).text()]).toEqual([
    '/api/projects',
    '/gone.js',
  ])
})

test('[UI1] a page that is not built says so, and how to build it', async () => {
  const server = await openTestServer({ pageFolder: join(await temporaryFolder(), 'nothing') })
  const answer = await server.ask('/', { token: null })
  expect(answer.status).toBe(503)
  expect(answer.text).toContain('npm run build')
})
