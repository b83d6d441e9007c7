import { env } from 'cloudflare:workers'

/** A binding to the bucket whose operations of these names throw, like those of a platform that is down. */
export function breakBucket(...broken: (keyof R2Bucket)[]): { FILES: R2Bucket } {
  const FILES = new Proxy(env.FILES, {
    get(files, name: keyof R2Bucket) {
      return broken.includes(name)
        ? async () => {
            throw new Error('the bucket is down')
          }
        : files[name].bind(files)
    },
  })
  return { FILES }
}

/** The keys of all objects with a prefix. */
export async function listObjectKeys(prefix: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix })
  return objects.map(({ key }) => key)
}
