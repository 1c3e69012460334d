//! Characters out of bytes that come in any pieces.

/// Bytes as characters, each with the bytes that it took; what is no UTF-8 is U+FFFD.
#[derive(Debug, Clone, Default)]
pub(super) struct Decoder {
    /// The beginning of a character: three bytes at most.
    begun: Vec<u8>,
}

impl Decoder {
    pub(super) fn push(&mut self, bytes: &[u8], mut each: impl FnMut(char, usize)) {
        let mut bytes = bytes;
        // A character that an earlier piece began, one byte at a time.
        while let Some((first, rest)) = bytes.split_first().filter(|_| !self.begun.is_empty()) {
            bytes = rest;
            self.begun.push(*first);
            let begun = std::mem::take(&mut self.begun);
            self.whole(&begun, &mut each);
        }
        self.whole(bytes, &mut each);
    }

    /// The end of the bytes: what is begun is no character.
    pub(super) fn finish(&mut self, mut each: impl FnMut(char, usize)) {
        if !self.begun.is_empty() {
            each(char::REPLACEMENT_CHARACTER, self.begun.len());
            self.begun.clear();
        }
    }

    /// Takes bytes with nothing before them, and keeps a character that ends outside of them.
    fn whole(&mut self, bytes: &[u8], each: &mut impl FnMut(char, usize)) {
        let bytes = match cut(bytes) {
            Some(at) => {
                let (bytes, begun) = bytes.split_at(at);
                self.begun.extend_from_slice(begun);
                bytes
            }
            None => bytes,
        };
        for chunk in bytes.utf8_chunks() {
            chunk.valid().chars().for_each(|c| each(c, c.len_utf8()));
            if !chunk.invalid().is_empty() {
                each(char::REPLACEMENT_CHARACTER, chunk.invalid().len());
            }
        }
    }
}

/// Byte at which a character begins that the bytes do not end.
fn cut(bytes: &[u8]) -> Option<usize> {
    let near = bytes.len().saturating_sub(3);
    let begin = bytes.get(near..)?.iter().rposition(|byte| *byte >= 0xC0)? + near;
    let error = std::str::from_utf8(bytes.get(begin..)?).err()?;
    (error.valid_up_to() == 0 && error.error_len().is_none()).then_some(begin)
}
