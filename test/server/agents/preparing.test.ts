/** Installing and signing in agents by one press (AG18), with programs of the test's own. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { maxRunning, preparationMs } from '../../../src/adapters/agents/agent-preparations.ts'
import { isRunning } from '../../support/script-process.ts'
import { openTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const program = (text: string): string => `#!/bin/sh\n${text}\n`
/** Installs a program that says its version, where `--prefix` says. */
const installing = (name: string): string =>
  [
    'mkdir -p "$3/node_modules/.bin"; cd "$3/node_modules/.bin"',
    `echo "#!/bin/sh" > ${name}; echo "echo 7.1.0" >> ${name}; chmod +x ${name}`,
  ].join('; ')

async function openWith(programs: Record<string, string>) {
  const folder = temporaryFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const put = (name: string, text: string) =>
    writeFileSync(join(bin, name), program(text), { mode: 0o755 })
  for (const [name, text] of Object.entries(programs)) put(name, text)
  // No more of the machine than this: it may have an npm, and agents.
  for (const name of ['chmod', 'mkdir', 'sleep', 'touch'])
    symlinkSync(join('/bin', name), join(bin, name))
  const server = await openTestServer({ programs: { HOME: folder, PATH: bin } })
  const at = (agent: string) => `/api/detected-agents/${agent}/preparation`
  const begin = (agent: string, step = 'install') =>
    server.ask(at(agent), { method: 'POST', body: { step } })
  const read = async (agent: string) => (await server.ask(at(agent))).json
  const ended = async (agent: string) => {
    await expect.poll(async () => (await read(agent)).state).not.toBe('running')
    return read(agent)
  }
  const cancel = (agent: string) => server.ask(at(agent), { method: 'DELETE' })
  const detected = async () => (await server.ask('/api/detected-agents')).json
  const installed = join(server.folder, 'agents')
  return { ...server, put, begin, read, ended, cancel, detected, at, folder, installed }
}

test('[AG18] an agent is installed into the data folder, and found there', async () => {
  const { begin, ended, detected, installed, folder } = await openWith({
    npm: `echo "$@" > "$HOME/asked"; echo "added 1 package"; ${installing('gemini')}`,
  })
  const gemini = (await detected()).missing.find(({ id }: { id: string }) => id === 'gemini')
  const place = join(installed, 'gemini')
  expect(gemini.installs).toBe(
    `npm install --prefix ${place} --no-audit --no-fund @google/gemini-cli`,
  )
  expect(await begin('gemini')).toMatchObject({
    status: 201,
    json: { agent: 'gemini', step: 'install', command: gemini.installs, visit: null },
  })
  expect(await ended('gemini')).toMatchObject({
    state: 'done',
    error: null,
    output: 'added 1 package\n',
  })
  expect(readFileSync(join(folder, 'asked'), 'utf8')).not.toMatch(/-g\b/)
  const [found] = (await detected()).items
  expect(found).toMatchObject({
    agent: 'gemini',
    version: '7.1.0',
    file: join(place, 'node_modules/.bin/gemini'),
  })
  expect(found.draft.env.PATH).toMatch(new RegExp(`^${RegExp.escape(dirname(found.file))}:`))
  expect((await begin('gemini')).json.notice.code).toBe('alreadyInstalled')
})

test('[AG18] [AG19] an agent of the registry is installed and added', async () => {
  const { begin, ended, detected, installed, ask, put } = await openWith({
    npm: [
      'echo "$6" > "$HOME/package"; cd "$3"; mkdir -p node_modules/.bin',
      'mkdir -p node_modules/@augmentcode/auggie; touch node_modules/.bin/auggie',
      'cd node_modules/@augmentcode/auggie',
      `echo '{"version":"0.15.0","bin":{"auggie":"x.js"}}' > package.json`,
    ].join('\n'),
  })
  const { missing } = await detected()
  const of = (id: string) => missing.find((each: { id: string }) => each.id === id)
  expect(of('auggie').installs).toMatch(/ @augmentcode\/auggie@[\d.]+$/)
  await begin('auggie')
  expect((await ended('auggie')).state).toBe('done')
  const [found] = (await detected()).items
  expect(found).toMatchObject({
    name: 'Auggie CLI',
    version: '0.15.0',
    signedIn: null,
    draft: {
      protocol: 'acp',
      command: join(installed, 'auggie/node_modules/.bin/auggie'),
      args: ['--acp'],
      env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
    },
  })
  expect((await ask('/api/agents', { method: 'POST', body: found.draft })).status).toBe(201)
  expect((await begin('auggie', 'sign_in')).json.notice.code).toBe('signInAtTerminal')
  // A package that names a program elsewhere.
  const makes = 'p="$3/node_modules/@qoder-ai/qodercli"; mkdir -p "$p"'
  put('npm', `${makes}; echo '{"bin":{"../../x":"x"}}' > "$p/package.json"`)
  await begin('qoder')
  expect((await ended('qoder')).notice.code).toBe('nothingToRun')
})

test('[AG18] what goes wrong is said with what to type, and leaves nothing behind', async () => {
  const { put, begin, ended, installed, detected } = await openWith({})
  expect((await begin('codex')).json).toMatchObject({
    status: 409,
    notice: { code: 'npmMissing' },
    detail: expect.stringMatching(/npm install --prefix .*@openai\/codex/),
  })
  for (const [written, code] of [
    ['npm error code ENOTFOUND', 'noNetworkForIt'],
    ['Error logging in: error sending request for url (x)', 'noNetworkForIt'],
    ['npm error code ENOSPC', 'noSpaceForIt'],
    ['npm error code EACCES', 'noRightsForIt'],
    ['npm error something else', 'preparationFailed'],
  ]) {
    put('npm', `mkdir -p "$3/node_modules/.bin"; echo "${written}" >&2; exit 1`)
    await begin('codex')
    expect(await ended('codex')).toMatchObject({
      state: 'failed',
      output: `${written}\n`,
      notice: { code },
      error: expect.stringContaining('npm install --prefix'),
    })
  }
  // All went well, it says, and there is no program.
  put('npm', 'exit 0')
  await begin('codex')
  expect((await ended('codex')).notice.code).toBe('nothingToRun')
  // What a crash has cut short does not count.
  put('npm', `${installing('codex')}; exit 1`)
  mkdirSync(join(installed, 'gemini/node_modules/.bin'), { recursive: true })
  writeFileSync(join(installed, 'gemini/node_modules/.bin/gemini'), program('echo 1.0.0'), {
    mode: 0o755,
  })
  expect((await detected()).items).toEqual([])
  expect(readdirSync(installed)).toEqual(['gemini'])
  expect((await begin('goose')).json.notice.code).toBe('installedByHand')
  expect((await begin('nobody')).status).toBe(404)
  expect((await begin('../gemini')).status).toBe(404)
})

test('[AG18] cancelling and ten minutes end all that it has started', async () => {
  const slow = 'mkdir -p "$3/x"; sleep 1000 & echo $! > "$HOME/$$.pid"; echo begun; wait'
  const { begin, read, cancel, installed, folder, clock } = await openWith({ npm: slow })
  const pids = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.pid'))
      .map((name) => Number(readFileSync(join(folder, name), 'utf8')))
  const begun = async (agent: string) => {
    await begin(agent)
    await expect.poll(async () => (await read(agent)).output).toBe('begun\n')
  }
  await begun('codex')
  // Pressed again it is the same; another step waits.
  expect((await begin('codex')).json.state).toBe('running')
  expect((await begin('codex', 'sign_in')).json.notice.code).toBe('preparationRuns')
  expect((await cancel('codex')).json).toMatchObject({ state: 'cancelled', error: null })
  expect(existsSync(join(installed, 'codex'))).toBe(false)
  await begun('pi')
  clock.advance(preparationMs)
  await expect.poll(async () => (await read('pi')).notice?.code).toBe('preparationTooLong')
  await expect.poll(() => existsSync(join(installed, 'pi'))).toBe(false)
  await expect.poll(() => pids().filter(isRunning)).toEqual([])
  const several = ['codex', 'pi', 'qwen', 'gemini'].slice(0, maxRunning)
  for (const agent of several) await begun(agent)
  expect((await begin('claude')).json.notice.code).toBe('preparationsRun')
})

test('[AG18] a sign-in shows an address and a code, or takes one', async () => {
  const { begin, read, ended, cancel, detected, ask, at, folder } = await openWith({
    codex: [
      '[ "$1" = login ] || { echo 1.0.0; exit; }',
      'printf "\\033[1mOpen https://example.com/device\\033[0m and type WDJB-MJHT\\n"',
      'until [ -e "$HOME/done" ]; do sleep 0.05; done',
      'mkdir "$HOME/.codex"; touch "$HOME/.codex/auth.json"',
    ].join('\n'),
    claude: [
      '[ "$1" = auth ] || { echo 2.0.0; exit; }',
      'echo "visit: https://example.com/authorize?a=b"; read code',
      '[ "$code" = right ] || { echo "Login failed"; exit 1; }',
    ].join('\n'),
  })
  const of = async (agent: string) =>
    (await detected()).items.find((each: { agent: string }) => each.agent === agent)
  expect(await of('codex')).toMatchObject({ signedIn: false, signsIn: 'codex login --device-auth' })
  await begin('codex', 'sign_in')
  await expect.poll(async () => (await read('codex')).visit).not.toBeNull()
  expect(await read('codex')).toMatchObject({
    state: 'running',
    takesCode: false,
    visit: { url: 'https://example.com/device', code: 'WDJB-MJHT' },
    output: 'Open https://example.com/device and type WDJB-MJHT\n',
  })
  writeFileSync(join(folder, 'done'), '')
  expect(await ended('codex')).toMatchObject({ state: 'done', visit: null })
  expect((await of('codex')).signedIn).toBe(true)
  const code = (typed: string) =>
    ask(`${at('claude')}/code`, { method: 'POST', body: { code: typed } })
  await begin('claude', 'sign_in')
  expect((await read('claude')).takesCode).toBe(true)
  await code('wrong')
  expect(await ended('claude')).toMatchObject({ state: 'failed', output: /Login failed/ })
  expect((await code('late')).json.notice.code).toBe('noCodeAwaited')
  await begin('claude', 'sign_in')
  await code('right')
  expect(await ended('claude')).toMatchObject({ state: 'done', error: null })
  expect((await begin('pi', 'sign_in')).json.notice.code).toBe('signInAtTerminal')
  expect((await cancel('pi')).status).toBe(404)
})
