/** The words of "allow always" in Japanese. */
import type { allowances as english } from './en-allowances.ts'

export const allowances: typeof english = {
  always: '常に許可…',
  give: '今後も許可する',
  what: '対象',
  scopes: { request: 'この操作だけ', folder: 'フォルダー内のファイル', tool: 'この種類のツール' },
  hints: {
    request: '一字一句同じ呼び出しだけです。それ以外は確認します。',
    folder: (folder) => `同じ種類のツールで、${folder} 以下のファイルに限ります。`,
    tool: (tool) => `何も変更しない「${tool}」の呼び出しすべてです。`,
  },
  howLong: '期間',
  durations: { 60: '1 時間', 480: '8 時間', 10080: '1 週間', 43200: '30 日' },
  forWhom: (agent) => `このプロジェクトの ${agent} に適用され、「承認」で取り消せます。`,
  title: '常に許可しているもの',
  until: (time) => `${time} まで`,
  by: (who) => `${who} による`,
  revoke: '取り消す',
  revokeName: (title) => `取り消す: ${title}`,
  revoked: '取り消しました。次からは確認します。',
  byPolicy: (policy) => `プロジェクトの方針: ${policy}`,
  byAlways: (who) => `${who} が常に許可`,
}
