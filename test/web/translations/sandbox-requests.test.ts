/** What is asked for an agent in a sandbox is said in the reader's language (SB5, SB9). */
import { expect, test } from 'vitest'
import { en } from '../../../web/src/translations/en.ts'
import { ja } from '../../../web/src/translations/ja.ts'
import { answerName, askedTitle } from '../../../web/src/translations/sandbox-requests.ts'

test('[SB9] a host or folder is asked for in Japanese; what agents say stays', () => {
  const host = 'Reach api.example.com:443 from the sandbox'
  const folder = 'Read /srv/from the sandbox from the sandbox'
  expect([host, folder, 'Read a file'].map((title) => askedTitle(title, ja))).toEqual([
    'サンドボックスから api.example.com:443 に接続する',
    'サンドボックスから /srv/from the sandbox を読み取る',
    'Read a file',
  ])
  const answers = ['Allow for this turn', 'Allow for an hour', 'Keep refusing', 'Yes, and tell me']
  expect(answers.map((name) => answerName(name, ja))).toEqual([
    'このターンだけ許可',
    '1 時間許可',
    '拒否したままにする',
    'Yes, and tell me',
  ])
  expect([
    askedTitle(host, en),
    askedTitle(folder, en),
    ...answers.map((name) => answerName(name, en)),
  ]).toEqual([host, folder, ...answers])
})
