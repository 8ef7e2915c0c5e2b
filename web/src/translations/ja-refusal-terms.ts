/** The words that a refusal’s parameters are put into, in Japanese: states, scopes, fields. */
const states = {
  pending: '未処理',
  in_progress: '進行中',
  blocked: 'ブロック中',
  completed: '完了',
  failed: '失敗',
  cancelled: '中止',
  running: '実行中',
  interrupted: '中断',
  approved: '承認済み',
  rejected: '却下',
  revision_requested: '修正待ち',
  withdrawn: '取り下げ済み',
  expired: '期限切れ',
  queued: '待機中',
  answered: '回答済み',
  unknown: '不明',
  asking: '許可待ち',
  paired: '許可済み',
  refused: '拒否',
  revoked: '取り消し',
}

const fields = {
  name: '名前',
  id: 'ID',
  title: 'タイトル',
  description: '説明',
  content: '内容',
  message: 'メッセージ',
  path: 'フォルダー',
  folder: 'フォルダー',
  command: 'コマンド',
  branch: 'ブランチ',
  role: '役割',
  expiresAt: '期限',
  q: '検索語',
}

export const terms = {
  state: states,
  wanted: states,
  scope: {
    read: '閲覧',
    write: '作業',
    approve: '承認',
    manage: '管理',
    coordinator: 'コーディネーター',
    agent: 'エージェント',
  },
  field: fields,
  kind: { verified: '検証済み', failed: '失敗', untried: '未試行' },
}
