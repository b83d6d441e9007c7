import { once } from '../../platform/lib/isolate.ts'

/** Of at least eight characters, as lists of passwords that became known have them in common. */
const COMMON = `
00000000 11111111 12121212 12341234 123123123 1234512345 12345678 123456789 1234567890 12345678910 1234qwer
147258369 11223344 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qazxsw2 22222222 31415926 55555555 66666666 77777777 87654321
88888888 987654321 99999999 a1234567 a12345678 aa123456 abc12345 abcd1234 abcdefgh access14 admin123 administrator
adminadmin alexander asdf1234 asdfasdf asdfghjk asdfghjkl baseball basketball blink182 bugzilla butterfly
changeit changeme charlie1 chocolate christian computer corvette danielle dragon123 drowssap einstein elizabeth
football football1 garfield hello123 hellohello iloveyou iloveyou1 internet jennifer jonathan jordan23 letmein1
letmein123 liverpool login123 lovelove manchester marlboro master123 maverick michael1 michelle midnight monkey123
mustang1 nicholas p@ssw0rd p@ssword pass1234 passw0rd passw0rd1 password password! password1 password12 password123
password1234 password2 patricia pokemon1 princess princess1 q1w2e3r4 q1w2e3r4t5 qazwsxedc qwer1234 qwerasdf
qwert123 qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop qwertz123 qwertzui rockyou1 samantha samsung1 scorpion
secret123 startfinding starwars steelers sunshine sunshine1 superman superman1 swordfish test1234 testtest
trustno1 tottenham victoria w0rdpass welcome1 welcome123 whatever zaq12wsx zxcvbnm1 zxcvbnm123
`

const commonPasswords = once((): ReadonlySet<string> => new Set(COMMON.trim().split(/\s+/)))

/** Whether a folded password is among those that everybody tries first, or one sign over and over. */
export function isCommonPassword(folded: string): boolean {
  return commonPasswords().has(folded) || new Set(folded).size === 1
}
