import { expect, test } from 'vitest'
import { browserCommand } from '../../../src/platform/processes/open-browser.ts'

const url = 'http://127.0.0.1:4747/sign-in#code'

test('[CL2] the browser is started the way the platform does it, without a shell', () => {
  expect(browserCommand(url, 'darwin', {})).toEqual(['open', url])
  expect(browserCommand(url, 'win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url])
  expect(browserCommand(url, 'linux', { DISPLAY: ':0' })).toEqual(['xdg-open', url])
  expect(browserCommand(url, 'linux', { DISPLAY: ':0', BROWSER: 'firefox' })).toEqual([
    'firefox',
    url,
  ])
})

test('[CL2] where there is no screen, nothing is started', () => {
  expect(browserCommand(url, 'linux', {})).toBeUndefined()
})
