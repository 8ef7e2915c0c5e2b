/** LD8: what a push signs in with, for whom; and that tokens of a project go with it. */
import { expect, test } from 'vitest'
import { addPerson } from '../../../src/services/access/change-access.ts'
import { deleteProject } from '../../../src/services/flows/projects/delete-project.ts'
import { changeProject, createProject } from '../../../src/services/projects/change-project.ts'
import { setHost } from '../../../src/services/review/hosts.ts'
import { findSignIn } from '../../../src/services/review/sign-in.ts'
import { by, open } from '../projects/installation.ts'

const ssh = 'git@git.example.com:shop/web.git'

async function openRoom() {
  const { store } = await open()
  const { id: projectId } = await store.run(createProject, { name: 'a', by })
  const { id: ada } = await store.run(addPerson, { name: 'Ada', role: 'member', by })
  const signIn = (who: string, address = ssh, opensPull = false) =>
    store.query(findSignIn, { address, projectId, by: who, opensPull })
  const setToken = (kind: 'git' | 'github', more: object = {}) =>
    store.run(setHost, {
      host: 'git.example.com',
      kind,
      api: 'https://git.example.com',
      sealed: { key: 'k', iv: 'i', tag: 't', value: 'v' } as never,
      account: null,
      by,
      scopes: ['manage'],
      ...more,
    })
  return { store, projectId, ada, signIn, setToken }
}

test('[LD8] the ssh of a machine is for owners, and where land.ssh says so', async () => {
  const { store, projectId, ada, signIn, setToken } = await openRoom()
  const machine = { block: undefined, note: 'ssh_of_machine: git.example.com' }
  expect(await signIn(by)).toMatchObject(machine)
  expect(await signIn(ada)).toMatchObject({ block: 'no_token', note: undefined })
  expect(await signIn(ada, '/srv/web.git')).toMatchObject({ block: undefined, note: undefined })
  await store.run(changeProject, { projectId, settings: { 'land.ssh': 'yes' }, by })
  expect(await signIn(ada)).toMatchObject(machine)
  await store.run(changeProject, { projectId, settings: { 'land.ssh': 'no' }, by })
  await setToken('git', { projectId })
  const token = { block: undefined, note: 'over_https: git.example.com' }
  expect([await signIn(ada), await signIn(by)]).toMatchObject([token, token])
  // Only a token of GitHub opens a pull request.
  expect(await signIn(ada, ssh, true)).toMatchObject({ block: 'no_token' })
  await setToken('github', { by: ada })
  expect(await signIn(ada, ssh, true)).toMatchObject(token)
})

test('[LD8] a project that is deleted leaves no token and no address behind', async () => {
  const { store, projectId, setToken } = await openRoom()
  await setToken('git', { projectId })
  await store.run(deleteProject, { projectId, by })
  expect(
    await store.query(findSignIn, { address: ssh, projectId, by: 'x', opensPull: false }),
  ).toMatchObject({ block: 'no_token' })
})
