"""The script that a letter belongs to, as Unicode's `Scripts.txt` has it, for 39 scripts.

`Common` is what several scripts share, `Inherited` included; `Other` is every further script.
"""

from bisect import bisect_right
from functools import lru_cache

# Where, among the letters, those of a script begin: a code point in hex and the script.
_TABLE = (
    "41 Latin B5 Common BA Latin 2B9 Common 2E0 Latin 2EC Common 370 Greek 374 Common "
    "376 Greek 3E2 Other 3F0 Greek 400 Cyrillic 531 Armenian 5D0 Hebrew 620 Arabic 640 Common "
    "641 Arabic 710 Syriac 750 Arabic 780 Thaana 7CA Other 860 Syriac 870 Arabic "
    "904 Devanagari 980 Bengali A05 Gurmukhi A85 Gujarati B05 Oriya B83 Tamil C05 Telugu "
    "C80 Kannada D04 Malayalam D85 Sinhala E01 Thai E81 Lao F00 Tibetan 1000 Myanmar "
    "10A0 Georgian 1100 Hangul 1200 Ethiopic 13A0 Cherokee 1401 Canadian_Aboriginal "
    "1681 Ogham 16A0 Runic 1700 Other 1780 Khmer 1820 Mongolian 18B0 Canadian_Aboriginal "
    "1900 Other 1C80 Cyrillic 1C90 Georgian 1CE9 Common 1D00 Latin 1D26 Greek 1D2B Cyrillic "
    "1D2C Latin 1D5D Greek 1D62 Latin 1D66 Greek 1D6B Latin 1D78 Cyrillic 1D79 Latin "
    "1DBF Greek 1E00 Latin 1F00 Greek 2071 Latin 2102 Common 2126 Greek 2128 Common "
    "212A Latin 212C Common 2132 Latin 2133 Common 214E Latin 2C00 Other 2C60 Latin "
    "2C80 Other 2D00 Georgian 2D30 Other 2D80 Ethiopic 2E2F Common 3005 Han 3006 Common "
    "303B Han 303C Common 3041 Hiragana 30A1 Katakana 30FC Common 30FD Katakana 3105 Bopomofo "
    "3131 Hangul 31A0 Bopomofo 31F0 Katakana 3400 Han A000 Yi A4D0 Other A640 Cyrillic "
    "A6A0 Other A717 Common A722 Latin A788 Common A78B Latin A800 Other A8F2 Devanagari "
    "A90A Other A960 Hangul A984 Other A9CF Common A9E0 Myanmar AA00 Other AA60 Myanmar "
    "AA80 Other AB01 Ethiopic AB30 Latin AB65 Greek AB66 Latin AB70 Cherokee ABC0 Other "
    "AC00 Hangul F900 Han FB00 Latin FB13 Armenian FB1D Hebrew FB50 Arabic FF21 Latin "
    "FF66 Katakana FF70 Common FF71 Katakana FF9E Common FFA0 Hangul 10000 Other "
    "10300 Old_Italic 10330 Gothic 10350 Other 10400 Deseret 10450 Other 10780 Latin "
    "10800 Other 10EC2 Arabic 10F00 Other 11AB0 Canadian_Aboriginal 11AC0 Other 16FE3 Han "
    "17000 Other 1AFF0 Katakana 1B001 Hiragana 1B120 Katakana 1B132 Hiragana 1B155 Katakana "
    "1B170 Other 1D400 Common 1DF00 Latin 1E030 Cyrillic 1E100 Other 1E7E0 Ethiopic "
    "1E800 Other 1EE00 Arabic 20000 Han "
)
_WORDS = _TABLE.split()
_STARTS = [int(word, 16) for word in _WORDS[::2]]
_SCRIPTS = _WORDS[1::2]


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str:
    """Return the script of a character that is a letter (`str.isalpha`)."""
    return _SCRIPTS[bisect_right(_STARTS, ord(letter)) - 1]
