/** A refusal of the imitated platform, in the form that wrangler reads. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly status: 400 | 401 | 404 | 500
  readonly code: number

  constructor(status: 400 | 401 | 404 | 500, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
