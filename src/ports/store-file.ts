/** What the store keeps on disk. Its file holds what has expired or was deleted until it is written anew. */
export interface StoreFile {
  /**
   * Begins to write the file anew, of what the store holds now. @returns false where nothing is to do: no
   * file, nothing new in it, or it is being written
   * @throws the store refuses, or its last attempt failed
   */
  rewrite(): Promise<boolean>
}
