import { describe, expect, test } from 'vitest'
import { findTargetProblem, parseTargetUrl } from '../../../src/edges/webhooks/target.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const problemOf = (url: string) => findTargetProblem(url, false)

describe('an address may be called', () => {
  test.each([
    'https://hooks.example.com/services/T0/B0',
    'https://hooks.example.com:8443/a?b=c#d',
    'https://HOOKS.Example.COM./',
    'https://8.8.8.8/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://[2606:4700:4700::1111]/',
    'https://internal.example.com/',
    'https://xn--bcher-kva.example/',
  ])('%s', (url) => {
    expect(problemOf(url)).toBeNull()
  })
})

describe('an address may not be called', () => {
  test.each([
    ['that is none', 'hooks.example.com'],
    ['without a host', 'https://'],
    ['of another scheme', 'ftp://hooks.example.com/'],
    ['without encryption', 'http://hooks.example.com/'],
    ['with a login', 'https://user@hooks.example.com/'],
    ['with a password', 'https://:secret@hooks.example.com/'],
    ['at the port of mail', 'https://hooks.example.com:25/'],
    ['at the port of shells', 'https://hooks.example.com:22/'],
    ['of this computer', 'https://localhost/'],
    ['of this computer, as a domain', 'https://a.LOCALHOST/'],
    ['of this computer, with a dot', 'https://localhost./'],
    ['of this computer, with dots', 'https://127.0.0.1../'],
    ['of this computer, in full', 'https://localhost.localdomain/'],
    ['with an empty part', 'https://hooks..example.com/'],
    ['with an empty first part', 'https://.example.com/'],
    ['of a private network', 'https://x.private/'],
    ['of a hidden service', 'https://x.onion/'],
    ['of the local network', 'https://printer.local/'],
    ['of metadata', 'https://metadata.google.internal/'],
    ['of one label', 'https://intranet/'],
    ['of a home network', 'https://nas.home.arpa/'],
    ['that loops back', 'https://127.0.0.1/'],
    ['that loops back, decimal', 'https://2130706433/'],
    ['that loops back, octal', 'https://0177.0.0.1/'],
    ['that loops back, hexadecimal', 'https://0x7f.0.0.1/'],
    ['that loops back, as one number', 'https://0x7f000001/'],
    ['that loops back, shortened', 'https://127.1/'],
    ['that loops back, with a dot', 'https://127.0.0.1./'],
    ['that loops back, in full-width digits', 'https://１２７.0.0.1/'],
    ['that loops back, escaped', 'https://%31%32%37.0.0.1/'],
    ['of this network', 'https://0.0.0.0/'],
    ['of 10/8', 'https://10.255.255.255/'],
    ['of 172.16/12', 'https://172.31.255.255/'],
    ['of 192.168/16', 'https://192.168.0.1/'],
    ['of carriers', 'https://100.64.0.1/'],
    ['of metadata, as numbers', 'https://169.254.169.254/latest/meta-data/'],
    ['of benchmarks', 'https://198.19.0.1/'],
    ['of many', 'https://224.0.0.1/'],
    ['of all', 'https://255.255.255.255/'],
    ['that loops back, IPv6', 'https://[::1]/'],
    ['of nobody, IPv6', 'https://[::]/'],
    ['mapped', 'https://[::ffff:127.0.0.1]/'],
    ['mapped, in hexadecimal', 'https://[::ffff:a00:1]/'],
    ['compatible', 'https://[::10.0.0.1]/'],
    ['translated', 'https://[64:ff9b::7f00:1]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['link local', 'https://[fe80::1]/'],
    ['site local', 'https://[fec0::1]/'],
    ['multicast', 'https://[ff02::1]/'],
    ['of 6to4', 'https://[2002:7f00:1::]/'],
    ['of Teredo', 'https://[2001:0:7f00:1::]/'],
    ['of documentation', 'https://[2001:db8::1]/'],
  ])('%s', (_, url) => {
    expect(problemOf(url)).not.toBeNull()
  })
})

describe('where the site allows private addresses', () => {
  test.each(['http://localhost:3000/', 'https://10.0.0.1:25/', 'http://[::1]/'])(
    '%s may be called',
    (url) => {
      expect(findTargetProblem(url, true)).toBeNull()
    },
  )

  test.each(['ftp://localhost/', 'http://a:b@localhost/', 'localhost'])(
    '%s may not be called',
    (url) => {
      expect(findTargetProblem(url, true)).not.toBeNull()
    },
  )
})

describe('parseTargetUrl', () => {
  test('returns the address as it was written, without blanks around it', () => {
    expect(parseTargetUrl(' https://Hooks.example.com/A ', false)).toBe(
      'https://Hooks.example.com/A',
    )
  })

  test.each([
    ['', 50],
    ['https://localhost/', 53],
    [`https://hooks.example.com/${'a'.repeat(230)}`, 53],
  ])('rejects %s with %i', (url, code) => {
    expect(catchFaultCode(() => parseTargetUrl(url, false))).toBe(code)
  })
})
