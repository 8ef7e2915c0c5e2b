/** The words of reviews in Japanese. */
import type { review as English } from './en-review.ts'

export const review: typeof English = {
  comment: (number) => `コメント ${number}`,
  commentOn: (line) => `${line} 行目にコメント`,
  states: {
    draft: '下書き',
    sent: '送信済み',
    answered: '回答あり',
    resolved: '解決済み',
    withdrawn: '取り消し済み',
  },
  outdated: '古い行',
  outdatedComments: '行が変わったコメント',
  resolvedBy: (who) => `${who} が解決`,
  write: 'コメント',
  addDraft: '下書きを追加',
  discard: '下書きを削除',
  resolve: '解決済みにする',
  reopen: '再開する',
  answer: '返信',
  send: (count) => `コメント ${count} 件を送信`,
  sent: (count) => `コメント ${count} 件をエージェントに送信しました。`,
  draftsAreYours: '下書きは自分にだけ表示され、1 つのプロンプトとして送信されます。',
  viewed: (file) => `確認済み：${file}`,
  letResolve: 'エージェントに解決させる',
  resolving: 'エージェントが競合を解決します。結果を確認してから、もう一度マージしてください。',
}
