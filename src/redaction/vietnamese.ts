/** Names of persons in Vietnamese, where every syllable of a place has its capital and a surname stands first. */

/** Letters of Vietnamese alone, twice: a name in another text may hold one. */
const VIETNAMESE_LETTER = /[ăâđêôơưàáãèéìíòóõùúýĩũ\u1ea0-\u1ef9]/iu
const VIETNAMESE = /[ơưđ\u1ea0-\u1ef9].*[ơưđ\u1ea0-\u1ef9]/isu
/** Surnames stand first and are few: these are those of all but some in a hundred. */
const VIETNAMESE_FAMILY =
  /^(?:(?:Ông|Bà|Anh|Chị|Cô|Chú|Bác|Em) )?(?:Nguyễn|Trần|Lê|Phạm|Huỳnh|Hoàng|Phan|Vũ|Võ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý|Đào|Đoàn|Vương|Trịnh|Trương|Đinh|Lâm|Phùng|Mai|Tô|Hà|Tạ|Đàm|Thái|Cao|Châu|Chu|Lưu|Tăng|Quách|La|Kiều|Hứa|Lương|Nghiêm|Thạch|Từ|Văn|Tống|Triệu|Diệp|Khổng|Lục|Ninh|Tôn|Bạch|Doãn|Giang|Viên) \p{Lu}/u
const ADDRESSED_IN_VIETNAMESE = /(?<!\p{L})(?:ông|bà|anh|chị|cô|chú|bác|em|bạn|tên (?:tôi )?là)[ :]*$/iu
/** Provinces, continents, lakes and countries that begin like a surname. */
const VIETNAMESE_PLACE =
  /^(?:Hà (?:Nội|Giang|Nam|Tĩnh|Đông|Lan)|Thái (?:Bình|Nguyên|Lan|Bình Dương)|Cao (?:Bằng|Lãnh)|Lâm Đồng|Ninh (?:Bình|Thuận)|Châu (?:Á|Âu|Phi|Mỹ|Úc|Đốc)|Mai Châu|Lý Sơn|Tô Lịch|Hồ (?:Tây|Gươm|Hoàn Kiếm|Ba Bể|Xuân Hương)|Văn (?:Miếu|Giang)|Giang Nam|Bạch (?:Đằng|Mã|Long Vĩ)|La Mã|Vũ Hán)(?!\p{L})/u

export const isVietnamese = (text: string): boolean => VIETNAMESE.test(text)

export const isVietnameseLetter = (text: string): boolean => VIETNAMESE_LETTER.test(text)

/** It is addressed as a person, or begins with a surname and is no place. */
export const isVietnamesePerson = (value: string, before: string): boolean =>
  ADDRESSED_IN_VIETNAMESE.test(before) || (VIETNAMESE_FAMILY.test(value) && !VIETNAMESE_PLACE.test(value))
