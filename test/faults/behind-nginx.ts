/**
 * The real nginx with `deploy/nginx.conf` in front of a real server: requests, changes with the
 * cookie and an Origin, an event stream and a WebSocket, under the Host that browsers send for a
 * `public_url` with and without a port. Only the addresses and the certificate are ours.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, type RequestOptions, request } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { atTheEnd } from '../support/at-the-end.ts'
import { productFolder } from './build.ts'
import { newTally, type Tally } from './oracle.ts'
import { startServer } from './server-process.ts'

/** Only for what hangs. */
const answerWithinMs = 30_000
const name = 'holdfast.example.com'

interface Try {
  /** Whether the `public_url` names the port. */
  readonly withPort: boolean
  /** The file as it is in the repository, or broken on purpose. */
  readonly change?: (file: string) => string
}

/** What does not work, in words. Rejects where there is no nginx: then nothing was tried. */
export async function behindNginx({ withPort, change = (file) => file }: Try): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-nginx-'))
  const port = await freePort()
  const host = withPort ? `${name}:${port}` : name
  const server = await startServer(productFolder, join(folder, 'data'), 0, {
    HOLDFAST_PUBLIC_URL: `https://${host}`,
  })
  const { url, token } = await server.ready
  const file = change(await readFile(join(productFolder, 'deploy', 'nginx.conf'), 'utf8'))
  const nginx = await startNginx(folder, port, new URL(url).host, file)
  const tally = newTally()
  try {
    for (const [what, attempt] of Object.entries(attempts)) {
      await attempt({ port, host, token }).catch((error: Error) => {
        tally.torn++
        tally.first ??= `${what} under ${host}: ${error.message}`
      })
    }
  } finally {
    await nginx()
    server.child.kill('SIGTERM')
    await server.exited
    await rm(folder, { recursive: true, force: true })
  }
  return tally
}

interface Way {
  readonly port: number
  readonly host: string
  readonly token: string
}

const attempts: Readonly<Record<string, (way: Way) => Promise<void>>> = {
  'a request': async (way) =>
    void (await answered(way, { path: '/api/me', headers: bearer(way) }, 200)),
  'a change with the cookie': async (way) => {
    const login = await answered(way, { path: '/api/login', method: 'POST' }, 204, {
      token: way.token,
    })
    const cookie = String(login.headers['set-cookie']?.[0]).split(';')[0] ?? ''
    const headers = { cookie, origin: `https://${way.host}` }
    await answered(way, { path: '/api/projects', method: 'POST', headers }, 201, {
      name: 'by cookie',
    })
  },
  'an event stream': async (way) => {
    const stream = await asked(way, { path: '/api/events?streams=home', headers: bearer(way) })
    if (stream.response.statusCode !== 200)
      throw new Error(`it was answered with ${stream.response.statusCode}`)
    const event = new Promise<void>((resolve) => {
      stream.response.on(
        'data',
        (bytes: Buffer) => String(bytes).includes('by bearer') && resolve(),
      )
    })
    await answered(way, { path: '/api/projects', method: 'POST', headers: bearer(way) }, 201, {
      name: 'by bearer',
    })
    await within(event, 'the event did not come while the stream was open')
    stream.response.destroy()
  },
  'a WebSocket': async (way) => {
    const options = {
      headers: { host: way.host, ...bearer(way), origin: `https://${way.host}` },
      rejectUnauthorized: false,
    }
    const socket = new WebSocket(`wss://127.0.0.1:${way.port}/ws`, options)
    const failed = once(socket, 'error').then(([error]) => Promise.reject(error))
    failed.catch(() => {})
    await within(Promise.race([once(socket, 'open'), failed]), 'it was not opened')
    const message = once(socket, 'message')
    socket.send(JSON.stringify({ type: 'subscribe', streams: ['home'], requestId: 'r' }))
    await within(Promise.race([message, failed]), 'nothing came over it')
    socket.terminate()
  },
}

const bearer = ({ token }: Way) => ({ authorization: `Bearer ${token}` })

async function asked({ port, host }: Way, options: RequestOptions, body?: object) {
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false, servername: name })
  const content = body && { 'content-type': 'application/json' }
  const headers = { host, ...content, ...(options.headers as Record<string, string>) }
  const asking = request({ host: '127.0.0.1', port, agent, ...options, headers })
  asking.end(body && JSON.stringify(body))
  const [response] = await within(once(asking, 'response'), 'there was no answer')
  return { response: response as import('node:http').IncomingMessage }
}

async function answered(way: Way, options: RequestOptions, status: number, body?: object) {
  const { response } = await asked(way, options, body)
  response.resume()
  if (response.statusCode !== status)
    throw new Error(`${options.path} was answered with ${response.statusCode}, not ${status}`)
  return response
}

async function within<T>(what: Promise<T>, otherwise: string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(otherwise)), answerWithinMs)
  return Promise.race([what, late.promise]).finally(() => clearTimeout(timer))
}

/** Ends it. */
async function startNginx(
  folder: string,
  port: number,
  node: string,
  file: string,
): Promise<() => Promise<void>> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const subject = ['-subj', `/CN=${name}`, '-days', '1']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ],
    {
      stdio: 'ignore',
    },
  )
  const ours = file
    .replaceAll(/server 10\.0\.0\.\d+:4747/g, `server ${node}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n')
  const whole = `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${ours}\n}\n`
  const path = join(folder, 'nginx.conf')
  await writeFile(path, whole)
  const args = ['-e', 'stderr', '-p', folder, '-c', path, '-g', 'daemon off; master_process off;']
  const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const done = atTheEnd(() => child.kill('SIGKILL'))
  let words = ''
  child.stderr.on('data', (bytes) => (words = `${words}${bytes}`.slice(-2000)))
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) =>
      resolve(
        `nginx cannot be run (${error.message}): install it, with apt-get install nginx or the like`,
      ),
    )
    child.on('exit', () => resolve(`nginx ended: ${words}`))
  })
  await Promise.race([listening(port), ended.then((why) => Promise.reject(new Error(why)))])
  return async () => {
    child.kill('SIGTERM')
    await ended
    done()
  }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const open = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
