import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { useCases } from '../../../src/services/registry.ts'

const folder = new URL('../../../src/services/', import.meta.url)
const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

describe('the registry of use cases', () => {
  test('[HT4] every use case that writes is in it under its own name, which is that of its constant', async () => {
    const written: string[] = []
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      const module: Record<string, unknown> = await import(new URL(file, folder).href)
      for (const [constant, value] of Object.entries(module)) {
        const isUseCase =
          value !== null &&
          typeof value === 'object' &&
          'run' in value &&
          'name' in value &&
          !('reads' in value)
        if (!isUseCase) continue
        expect(value.name).toBe(kebab(constant))
        written.push(kebab(constant))
      }
    }
    expect(Object.keys(useCases).sort()).toEqual(written.sort())
    for (const [name, useCase] of Object.entries(useCases)) expect(useCase.name).toBe(name)
  })

  test('[SE7] every use case whose answer holds a secret says so, so that its receipt is sealed', () => {
    const secretive = Object.values(useCases).filter((useCase) => 'answersSecret' in useCase)
    expect(secretive.map(({ name }) => name).sort()).toEqual([
      'add-person',
      'authenticate-agent',
      'begin-launch',
      'begin-next-launch',
      'create-agent',
      'create-pairing-code',
      'create-sign-in-code',
      'create-ticket',
      'create-token',
      'renew-person',
      'replace-passkey',
      'sign-in',
    ])
  })
})
