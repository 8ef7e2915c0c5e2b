/** The hosts that a failure names are those that its notice has, and only names of hosts (UI22). */
import { expect, test } from 'vitest'
import { refusedHosts } from '../../../web/src/turns/refused-hosts.ts'

const refused = (hosts: string) => ({ code: 'hostsRefused', params: { why: 'x', hosts } })

test('[UI22] the hosts of a failure are found in its notice, however deep it stands', () => {
  expect(refusedHosts(refused('a.example, b.example:8080'))).toEqual([
    'a.example',
    'b.example:8080',
  ])
  const last = { code: 'failedOftenLast', params: { count: 3, last: refused('a.example') } }
  expect(refusedHosts(last)).toEqual(['a.example'])
  expect(refusedHosts(refused('$(id), *, a.example'))).toEqual(['a.example'])
  for (const other of [null, undefined, 'a.example', { code: 'exitCode', params: { hosts: 'a' } }])
    expect(refusedHosts(other)).toEqual([])
})
