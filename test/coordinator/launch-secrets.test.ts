/**
 * The secrets of a launch on its machine: what its process is given, what is left of it, and that
 * nothing of it is told.
 */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { AgentOutput, UpdateCleaner } from '../../src/coordinator/agent-output.ts'
import { findLeftSecretFiles } from '../../src/coordinator/launch-secrets.ts'
import { KnownSecrets } from '../../src/platform/log/known-secrets.ts'
import type { AgentUpdate } from '../../src/protocol/turns/agent-update.ts'
import { startAgent } from '../support/agent-process.ts'
import { script } from '../support/launch-particulars.ts'
import { manualClock } from '../support/manual-clock.ts'
import { fc, property } from '../support/property.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const secret = 'correct horse battery staple'
const file = `-----first line of the key-----\n${'k'.repeat(40)}\nend\n`

test('[SR3] a process gets its variables and files, for its owner only, and the files go with it', async () => {
  const { output, exit, agent } = await startAgent({
    ...script(
      'echo "path $CERT_FILE"; stat -c %a "$CERT_FILE"; wc -c < "$CERT_FILE"; test "$TOKEN" = "$WANTED" && echo same',
    ),
    env: { TOKEN: 'of the entry', WANTED: secret },
    secrets: { environment: { TOKEN: secret }, files: { CERT: file } },
  })
  await exit
  await agent.gone
  const [line = '', mode, bytes, same] = output().split('\n')
  const path = line.slice('path '.length)
  expect([mode, bytes?.trim(), same]).toEqual(['600', String(file.length), 'same'])
  expect([existsSync(path), existsSync(dirname(dirname(path)))]).toEqual([false, false])
})

test('[SR3] files go when the process cannot be started, and at the next start when their coordinator was killed', async () => {
  const folder = temporaryFolder()
  const left = join(folder, 'old-launch/secrets')
  mkdirSync(left, { recursive: true, mode: 0o700 })
  writeFileSync(join(left, 'CERT'), file)
  const removeLeft = findLeftSecretFiles(folder)
  const own = join(folder, 'new-launch/secrets')
  mkdirSync(own, { recursive: true })
  await removeLeft()
  expect([existsSync(left), existsSync(own)]).toEqual([false, true])
  expect(statSync(join(folder, 'old-launch')).isDirectory()).toBe(true)
})

test('[SR4] what a process writes is masked: a variable, and a file, whole and line by line', async () => {
  const { output, exit } = await startAgent({
    ...script('echo "$TOKEN"; head -n 2 "$CERT_FILE"; cat "$CERT_FILE"; printf "correct"'),
    secrets: { environment: { TOKEN: secret }, files: { CERT: file } },
  })
  await exit
  expect(output()).toBe('[masked]\n[masked]\n[masked]\n[masked]correct')
})

test('[SR4] output that may be the beginning of a secret waits, and costs nothing while it does', () => {
  const clock = manualClock()
  const pieces: string[] = []
  const output = new AgentOutput({
    clock,
    secrets: new KnownSecrets([secret]),
    onPiece: (text) => pieces.push(text),
  })
  const stream = new PassThrough()
  output.read(stream)
  stream.emit('data', Buffer.from('well, correct ho'))
  clock.advance(1000)
  clock.advance(1000)
  expect(pieces.join('')).toBe('well, ')
  clock.advance(60_000)
  stream.emit('data', Buffer.from('rse battery staple.\n'))
  clock.advance(1000)
  expect(pieces.join('')).toBe('well, [masked].\n')
})

const joined = (updates: readonly AgentUpdate[], kind: 'text' | 'thought'): string =>
  updates.map((update) => (update.kind === kind ? update.text : '')).join('')

/** Also one whose end is how it begins. */
const asked = [secret, 'co-begins-and-ends-co'].map((each) => {
  const forms = [each, Buffer.from(`k:${each}`).toString('base64url').slice(3)]
  const said = `It is ${each}; c, co, correct h. ${JSON.stringify({ key: each })} and ${forms.join('c')}|${forms.join('')}`
  return { each, said }
})

property.prop([
  fc.constantFrom(...asked),
  fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 400 }),
])(
  '[SR4] a secret in a turn is masked wherever its pieces are cut, in base64 too, and nothing else is lost or moved',
  ({ each, said }, sizes) => {
    const secrets = new KnownSecrets([each])
    const cleaner = new UpdateCleaner(secrets)
    const updates: AgentUpdate[] = []
    let at = 0
    for (const size of sizes) {
      if (at < said.length)
        updates.push(...cleaner.add({ kind: 'text', text: said.slice(at, at + size) }))
      at += size
    }
    const clean = joined([...updates, ...cleaner.flush()], 'text')
    expect(clean).toBe(secrets.mask(said))
    expect(clean.split('[masked]')).toHaveLength(7)
  },
)

test('[SR4] held text is told before another kind of update', () => {
  const cleaner = new UpdateCleaner(new KnownSecrets([secret]))
  expect(cleaner.add({ kind: 'text', text: 'so correct' })).toEqual([{ kind: 'text', text: 'so ' }])
  expect(cleaner.add({ kind: 'thought', text: 'hm' })).toEqual([
    { kind: 'text', text: 'correct' },
    { kind: 'thought', text: 'hm' },
  ])
  expect(cleaner.add({ kind: 'text', text: 'c' })).toEqual([])
  expect(cleaner.add({ kind: 'plan', entries: [] })).toEqual([
    { kind: 'text', text: 'c' },
    { kind: 'plan', entries: [] },
  ])
  expect(cleaner.flush()).toEqual([])
})
