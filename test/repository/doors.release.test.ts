import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const doors = readdirSync(join(root, 'src/doors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** What the compiler says of the product in a folder. */
function complaintsIn(folder: string): string {
  const compiler = join(root, 'node_modules/ts7/bin/tsc')
  try {
    return execFileSync(process.execPath, [compiler, '--noEmit', '-p', 'tsconfig.json'], {
      cwd: folder,
      encoding: 'utf8',
    })
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
  }
}

/** A copy of the product without the folders of these doors. */
function productWithout(left: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-doors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const config = { compilerOptions, include: ['src'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const door of left) rmSync(join(folder, 'src/doors', door), { recursive: true })
  return folder
}

test('[HS23] the product compiles without the folders and lines of all its doors', () => {
  const folder = productWithout(doors)
  const list = join(folder, 'src/doors/door-list.ts')
  const text = readFileSync(list, 'utf8')
  writeFileSync(
    list,
    text.replaceAll(/^import \{ \w+ \} from '\.\/\w+\/.*\n/gm, '').replace(/= \[.*\]/s, '= []'),
  )
  expect(complaintsIn(folder)).toBe('')
})

test.each(['telegram', 'slack', 'discord'])('[HS23] it does without %s alone', (door) => {
  const folder = productWithout([door])
  const list = join(folder, 'src/doors/door-list.ts')
  const without = new RegExp(`^.*\\b${door}Door\\b.*\\n`, 'gm')
  writeFileSync(list, readFileSync(list, 'utf8').replaceAll(without, ''))
  expect(complaintsIn(folder)).toBe('')
})

test('[HS23] the control: with its line and without its folder it does not', () => {
  expect(complaintsIn(productWithout(['relay']))).toContain('door-list.ts')
})
