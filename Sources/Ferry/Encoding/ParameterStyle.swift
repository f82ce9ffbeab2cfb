public import Foundation

/// How parameters are written in a query or a form.
///
/// ```swift
/// var style = ParameterStyle()
/// style.arrays = .repeated              // ids=1&ids=2
/// style.keys = .snakeCase               // perPage -> per_page
/// ```
///
/// The defaults: `ids[]=1&ids[]=2`, `user[name]=x`, `true` and `false`, ISO 8601 dates in UTC, Base64 data, names as they
/// are, nil left out. Numbers are exact: integers and `Decimal` digit by digit, `Double` and `Float` as the shortest text
/// that reads back to the same number (`1.0`, `0.1`, `1e+20`); NaN and infinities are refused.
public struct ParameterStyle: Sendable {
    /// How the elements of an array are named. An empty array writes nothing.
    public enum Arrays: Hashable, Sendable {
        /// `ids[]=1&ids[]=2`
        case brackets
        /// `ids=1&ids=2`
        case repeated
        /// `ids=1,2`. The comma is escaped as any other; an element with a comma of its own cannot be told apart.
        /// Arrays that hold arrays or objects are written as ``indexed``.
        case commaSeparated
        /// `ids[0]=1&ids[1]=2`. An element that is left out for being nil keeps its index.
        case indexed

        /// Another name of ``repeated``.
        public static var noBrackets: Arrays { .repeated }
    }

    /// How the members of a nested object are named.
    public enum Objects: Hashable, Sendable {
        /// `user[name]=x`
        case brackets
        /// `user.name=x`
        case dots
    }

    /// How a Bool is written.
    public enum Bools: Hashable, Sendable {
        /// `true` and `false`
        case literal
        /// `1` and `0`
        case numeric
    }

    /// How a date is written.
    public enum Dates: Sendable {
        /// RFC 3339 in UTC and whole seconds, rounded down: `2023-11-14T22:13:20Z`.
        case iso8601
        /// RFC 3339 in UTC and milliseconds: `2023-11-14T22:13:20.000Z`.
        case iso8601WithMilliseconds
        /// Seconds since 1970; with a fraction where there is one.
        case secondsSince1970
        /// Milliseconds since 1970, rounded.
        case millisecondsSince1970
        /// As the function says.
        case custom(@Sendable (Date) -> String)
    }

    /// How bytes are written.
    public enum DataFormat: Sendable {
        /// Base64 with padding (RFC 4648 §4).
        case base64
        /// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5).
        case base64URL
        /// Lower-case hexadecimal digits.
        case hex
        /// As the function says.
        case custom(@Sendable (Data) -> String)
    }

    /// How names are written. The keys of a `Dictionary` are data and always kept.
    public enum Keys: Sendable {
        /// As they are.
        case asIs
        /// `perPage` as `per_page`, `userID` as `user_id`, `myURLProperty` as `my_url_property`.
        case snakeCase
        /// As the function says, for each name of the path to a value.
        case custom(@Sendable (String) -> String)
    }

    /// What becomes of a nil.
    public enum Nils: Hashable, Sendable {
        /// Left out.
        case omit
        /// `name=`
        case emptyValue
        /// `name`
        case flag
    }

    /// How the elements of an array are named. Default ``Arrays/brackets``.
    public var arrays: Arrays
    /// How the members of a nested object are named. Default ``Objects/brackets``.
    public var objects: Objects
    /// How a Bool is written. Default ``Bools/literal``.
    public var bools: Bools
    /// How a date is written. Default ``Dates/iso8601``.
    public var dates: Dates
    /// How bytes are written. Default ``DataFormat/base64``.
    public var data: DataFormat
    /// How names are written. Default ``Keys/asIs``.
    public var keys: Keys
    /// What becomes of a nil. Default ``Nils/omit``.
    public var nils: Nils

    /// Creates a style.
    public init(
        arrays: Arrays = .brackets, objects: Objects = .brackets, bools: Bools = .literal, dates: Dates = .iso8601,
        data: DataFormat = .base64, keys: Keys = .asIs, nils: Nils = .omit
    ) {
        self.arrays = arrays
        self.objects = objects
        self.bools = bools
        self.dates = dates
        self.data = data
        self.keys = keys
        self.nils = nils
    }

    /// The style with all defaults.
    public static let `default` = ParameterStyle()
}
