/**
 * The package as it would be published (OP3): packed once, installed into an empty folder, and used
 * as a newcomer would. On the Node of the tests, and on every other one that TEST_NODES names
 * (paths with `:` between them).
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { startHoldfast } from '../support/running-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const nodes = [
  process.execPath,
  ...(process.env['TEST_NODES']?.split(delimiter).filter(Boolean) ?? []),
]

/** npm as a person who installed this package has it, on the Node that is meant. */
const npm = (node: string, cwd: string, ...args: string[]) =>
  run('npm', args, {
    cwd,
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env['PATH']}`,
      npm_config_loglevel: 'error',
    },
  })

const majorOf = (node: string): string =>
  execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })

let tarball = ''
beforeAll(async () => {
  const to = temporaryFolder()
  await npm(process.execPath, root, 'pack', '--pack-destination', to)
  tarball = join(to, readdirSync(to)[0] ?? '')
}, 180_000)

test('[OP3] what is packed holds no source and no map, is small, and publint has nothing to say', async () => {
  const { stdout } = await run('tar', ['-tzf', tarball])
  const files = stdout.trim().split('\n')
  expect(files).toContain('package/CHANGELOG.md')
  expect(files).toContain('package/dist/package/THIRD-PARTY.md')
  expect(
    files.filter((file) => /\.map$|(?<!\.d)\.ts$|^package\/(src|test|runtime)\//.test(file)),
  ).toEqual([])
  const unpacked = temporaryFolder()
  await run('tar', ['-xzf', tarball, '-C', unpacked])
  expect(
    (await publint({ pkgDir: join(unpacked, 'package'), pack: false, strict: true })).messages,
  ).toEqual([])
})

test('[OP3] a Node that is too old is told in one sentence what is needed, by every command', async () => {
  const unpacked = temporaryFolder()
  await run('tar', ['-xzf', tarball, '-C', unpacked])
  const { bin, engines } = JSON.parse(
    readFileSync(join(unpacked, 'package', 'package.json'), 'utf8'),
  )
  const program = join(unpacked, 'package', bin.holdfast)
  const pretending = (version: string) => {
    const path = join(unpacked, `as-${version}.cjs`)
    const values = `{ version: { value: 'v${version}' }, versions: { value: { ...process.versions, node: '${version}' } } }`
    writeFileSync(path, `Object.defineProperties(process, ${values})`)
    return [process.execPath, '--require', path]
  }
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  const real = onPath.filter(
    (file) => existsSync(file) && Number(majorOf(file)) < Number(/\d+/.exec(engines.node)?.[0]),
  )
  for (const node of [
    pretending('20.19.0'),
    pretending('22.20.0'),
    pretending('23.11.1'),
    ...real.map((file) => [file]),
  ])
    for (const command of ['--version', 'up']) {
      const [file = '', ...args] = node
      const failed = await run(file, [...args, program, command]).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(failed, file).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^Holdfast needs Node 24 or later; this is v2\d\.\S+\. Install .*\n$/,
        ),
      })
    }
  // What an old Node has to read before it says so is no module, and nothing newer than such a
  // Node.
  expect(program).toMatch(/\.cjs$/)
  expect(readFileSync(program, 'utf8')).not.toMatch(
    /^import |=>|\?\.|\?\?|`|\b(?:const|let|await)\b/m,
  )
})

describe.each(nodes)('on %s', (node) => {
  let folder = ''
  beforeAll(async () => {
    folder = temporaryFolder()
    await npm(
      node,
      folder,
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      tarball,
    )
  }, 180_000)

  const installed = (...path: string[]) => join(folder, 'node_modules', 'holdfast', ...path)

  test('[OP3] npx runs it from an empty folder, and the demo agent answers a chat', async () => {
    const { stdout } = await npm(node, folder, 'exec', '--offline', '--', 'holdfast', '--version')
    expect(stdout.trim()).toBe('0.1.0')
    const program = [node, installed('dist', 'package', 'holdfast.cjs')] as const
    const holdfast = await startHoldfast({ up: true, program })
    onTestFinished(async () => void (await holdfast.stop()))
    const page = await fetch(holdfast.url)
    expect(await page.text()).toContain('<div id="root">')
    const client = createClient({ url: holdfast.url, token: holdfast.token })
    const firstProject = async () => (await client.get('/api/projects', {})).items[0]?.id ?? ''
    await expect.poll(firstProject).not.toBe('')
    const projectId = await firstProject()
    await client.post('/api/chat', { body: { projectId, toAgentId: 'demo-mcp', content: 'hello' } })
    const key = `web:${projectId}.demo-mcp`
    const answered = async () =>
      (await client.get('/api/conversations/{key}/messages', { params: { key } })).items
    await expect.poll(answered).toContainEqual(expect.objectContaining({ senderId: 'demo-mcp' }))
  })

  test('[LB1] another program imports it: conversations in a folder, the client, and their types', async () => {
    const data = temporaryFolder()
    writeFileSync(
      join(folder, 'use.mts'),
      `import { createClient, createConversations, type Client, type Message } from 'holdfast'
const conversations = await createConversations({ data: ${JSON.stringify(data)} })
await conversations.addMessage('cli:1', 'user', 'kept')
const history: Message[] = await conversations.getHistory('cli:1')
await conversations.close()
const client: Client = createClient({ url: 'http://127.0.0.1:1', token: 'none' })
// @ts-expect-error The routes are known: this is none of them.
export const wrong = () => client.get('/api/no-such-route', {})
export const right = async (): Promise<string[]> => (await client.get('/api/projects', {})).items.map(({ name }) => name)
console.log(history.map(({ content }) => content).join())
`,
    )
    const strict = [
      '--singleThreaded',
      '--strict',
      // The compiler's own types are skipped; ours and zod's are read.
      '--skipDefaultLibCheck',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      '',
      '--outDir',
      folder,
      'use.mts',
    ]
    await run(process.execPath, [join(root, 'node_modules/ts7/bin/tsc'), ...strict], {
      cwd: folder,
    })
    const { stdout } = await run(node, ['use.mjs'], { cwd: folder })
    expect(stdout.trim()).toBe('kept')
    expect(existsSync(join(data, 'holdfast.db'))).toBe(true)
  })
})
