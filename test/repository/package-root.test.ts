import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPackageRoot } from '../../src/platform/files/package-root.ts'

test('[HS12] the package is found from source and bundle, past the packages in between', () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-root-'))
  try {
    writeFileSync(join(root, 'package.json'), '{"name": "holdfast", "version": "9.8.7"}')
    mkdirSync(join(root, 'dist', 'server', 'deeper'), { recursive: true })
    writeFileSync(join(root, 'dist', 'package.json'), '{"type": "module"}')
    expect(findPackageRoot(join(root, 'dist', 'server', 'deeper'))).toEqual({
      folder: root,
      version: '9.8.7',
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('[HS12] a file outside of any package is told so, in words', () => {
  expect(() => findPackageRoot(tmpdir())).toThrow(/installation is incomplete/)
})
